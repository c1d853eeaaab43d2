/* Knows which counts of the profile are of which code in a translator's cache. */
#include "machine/units/cache_code.h"

#include "base/check.h"

#include <stdlib.h>

struct cell {
    struct pc_item item;
    uint64_t words[2]; /* cycles, and how often the instruction retired */
    uint64_t *settled;
};

/* A run of instructions; or, where there are no executions, one that was counted too often. */
struct span {
    struct pc_item item;
    unsigned bytes;
    const uint64_t *executions;
    uint64_t before; /* executions of code that is gone */
    uint64_t back;   /* taken back */
};

struct cache_code {
    struct pc_table cells, spans;
};

struct cache_code *cache_code_create(void)
{
    struct cache_code *code = calloc(1, sizeof *code);
    if (code != NULL && (!pc_table_create(&code->cells) || !pc_table_create(&code->spans))) {
        cache_code_destroy(code);
        return NULL;
    }
    return code;
}

void cache_code_destroy(struct cache_code *code)
{
    if (code != NULL) {
        pc_table_destroy(&code->cells);
        pc_table_destroy(&code->spans);
        free(code);
    }
}

static struct cell *cell_of(struct pc_item *item)
{
    return (struct cell *)(void *)item;
}

static struct span *span_of(struct pc_item *item)
{
    return (struct span *)(void *)item;
}

uint64_t *cache_code_cycles(struct cache_code *code, guest_addr pc, uint64_t *settled)
{
    struct cell *cell = cell_of(pc_table_first(&code->cells, pc));
    while (cell != NULL && (cell->item.pc != pc || cell->settled != settled)) {
        cell = cell_of(cell->item.next);
    }
    if (cell == NULL) {
        cell = calloc(1, sizeof *cell);
        ASSERT(cell != NULL);
        cell->item.pc = pc;
        cell->settled = settled;
        pc_table_add(&code->cells, &cell->item);
    }
    return cell->words;
}

static struct span *find_span(struct cache_code *code, guest_addr pc, unsigned bytes,
                              const uint64_t *executions)
{
    struct span *span = span_of(pc_table_first(&code->spans, pc));
    while (span != NULL &&
           (span->item.pc != pc || span->bytes != bytes || span->executions != executions)) {
        span = span_of(span->item.next);
    }
    if (span == NULL) {
        span = calloc(1, sizeof *span);
        ASSERT(span != NULL);
        span->item.pc = pc;
        span->bytes = bytes;
        span->executions = executions;
        pc_table_add(&code->spans, &span->item);
    }
    return span;
}

void cache_code_add_run(struct cache_code *code, guest_addr pc, unsigned bytes,
                        const uint64_t *executions)
{
    find_span(code, pc, bytes, executions);
}

void cache_code_take_back(struct cache_code *code, guest_addr pc, uint64_t bytes)
{
    find_span(code, pc, (unsigned)bytes, NULL)->back++;
}

static void settle_cell(struct pc_item *item, void *context)
{
    struct cell *cell = cell_of(item);
    (void)context;
    *cell->settled += cell->words[0];
    cell->words[0] = cell->words[1] = 0;
}

static void settle_span(struct pc_item *item, void *context)
{
    struct span *span = span_of(item);
    (void)context;
    span->before = span->executions != NULL ? *span->executions : 0;
    span->back = 0;
}

void cache_code_empty(struct cache_code *code)
{
    pc_table_each(&code->cells, settle_cell, NULL);
    pc_table_each(&code->spans, settle_span, NULL);
}

struct visit {
    void (*what)(const uint64_t *settled, uint64_t cycles, void *context);
    void *context;
};

static void visit_cell(struct pc_item *item, void *context)
{
    const struct visit *visit = context;
    visit->what(cell_of(item)->settled, cell_of(item)->words[0], visit->context);
}

void cache_code_each(const struct cache_code *code,
                     void (*what)(const uint64_t *settled, uint64_t cycles, void *context),
                     void *context)
{
    struct visit visit = {.what = what, .context = context};
    pc_table_each(&code->cells, visit_cell, &visit);
}

/* Of lists that have the order of addresses. */
struct point {
    guest_addr pc;
    uint64_t a, b;
};

/* Executions change by `a` at each of `edges`, and are `b` from there on.  Each of `cells` has `a` cycles, and all before
 * it `b`; `retired` are the same places with how often they retired. */
struct code_counts {
    struct point *edges, *cells, *retired;
    size_t edge_count, cell_count;
};

static int by_address(const void *a, const void *b)
{
    const struct point *left = a, *right = b;
    return left->pc < right->pc ? -1 : left->pc > right->pc;
}

static void take_cell(struct pc_item *item, void *context)
{
    struct code_counts *counts = context;
    const struct cell *cell = cell_of(item);
    counts->cells[counts->cell_count] = (struct point){.pc = item->pc, .a = cell->words[0]};
    counts->retired[counts->cell_count++] = (struct point){.pc = item->pc, .a = cell->words[1]};
}

/* A vfork child's executions are taken away again, also those before the cache was emptied: no count is below 0. */
static void take_span(struct pc_item *item, void *context)
{
    struct code_counts *counts = context;
    const struct span *span = span_of(item);
    const uint64_t now = span->executions != NULL ? *span->executions : 0;
    const uint64_t count = now > span->before ? now - span->before : 0;
    if (count != span->back) {
        counts->edges[counts->edge_count++] =
            (struct point){.pc = item->pc, .a = count - span->back};
        counts->edges[counts->edge_count++] =
            (struct point){.pc = item->pc + span->bytes, .a = span->back - count};
    }
}

static struct point *make_points(size_t count)
{
    struct point *points = calloc(count + 1, sizeof *points);
    ASSERT(points != NULL);
    return points;
}

static void add_up(struct point *points, size_t count, bool included)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        points[i].b = included ? sum + points[i].a : sum;
        sum += points[i].a;
    }
}

struct code_counts *cache_code_read(const struct cache_code *code)
{
    struct code_counts *counts = calloc(1, sizeof *counts);
    ASSERT(counts != NULL);
    counts->edges = make_points(2 * code->spans.count);
    counts->cells = make_points(code->cells.count);
    counts->retired = make_points(code->cells.count);
    pc_table_each(&code->spans, take_span, counts);
    pc_table_each(&code->cells, take_cell, counts);
    qsort(counts->edges, counts->edge_count, sizeof *counts->edges, by_address);
    qsort(counts->cells, counts->cell_count, sizeof *counts->cells, by_address);
    qsort(counts->retired, counts->cell_count, sizeof *counts->retired, by_address);
    add_up(counts->edges, counts->edge_count, true);
    add_up(counts->cells, counts->cell_count, false);
    add_up(counts->retired, counts->cell_count, false);
    return counts;
}

void code_counts_free(struct code_counts *counts)
{
    if (counts != NULL) {
        free(counts->edges);
        free(counts->cells);
        free(counts->retired);
        free(counts);
    }
}

/* How many points are before `pc`. */
static size_t find_point(const struct point *points, size_t count, guest_addr pc)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (points[middle].pc < pc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The sum of all points before `pc`. */
static uint64_t sum_before(const struct point *points, size_t count, guest_addr pc)
{
    const size_t number = find_point(points, count, pc);
    return number == 0 ? 0 : points[number - 1].a + points[number - 1].b;
}

uint64_t code_counts_executions(const struct code_counts *counts, guest_addr pc)
{
    const size_t number = find_point(counts->edges, counts->edge_count, pc + 1);
    const int64_t executions = number == 0 ? 0 : (int64_t)counts->edges[number - 1].b;
    return executions > 0 ? (uint64_t)executions : 0;
}

uint64_t code_counts_retired(const struct code_counts *counts, guest_addr pc)
{
    return sum_before(counts->retired, counts->cell_count, pc + 1) -
           sum_before(counts->retired, counts->cell_count, pc);
}

uint64_t code_counts_cycles(const struct code_counts *counts, guest_addr start, guest_addr end)
{
    return sum_before(counts->cells, counts->cell_count, end) -
           sum_before(counts->cells, counts->cell_count, start);
}
