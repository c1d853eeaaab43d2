/* An exact profile of acyclic paths: how often the program takes which way from one backward branch to the next.
 *
 * It is what hardware that finds hot spots is measured against, and finds them itself: its table has room for all paths,
 * so it cannot be built, and its cost is what it has used at the end.
 *
 * A path begins where a direct branch or jump leads backward, calls excepted, and ends where the next one does, or where
 * it would have more blocks than a path may.  Then nothing is a path until the next one begins.  Each hart has a path of
 * its own under way, whichever context it runs on: so threads do not mix.  What a handler of a signal executes is on the
 * path that the signal interrupts, unless it can be seen that control came there without a branch. */
#include "machine/state/hart.h"
#include "machine/state/statistics.h"
#include "machine/units/blocks.h"
#include "machine/units/pc_table.h"

#include "base/check.h"

#include <stdlib.h>
#include <string.h>

#define ADDRESS_BITS 64
#define COUNT_BITS 64
#define HOT_SHARE 1000 /* a path is hot with more than one in so many executions: 0.1 % */

/* The path of one hart. */
struct walk {
    const struct hart *hart;
    bool under_way;
    uint64_t at; /* where control went last */
    struct find path;
};

/* A path that was executed; its key in the table is a digest of it. */
struct known_path {
    struct pc_item item;
    uint64_t executions;
    uint64_t next;
    unsigned count;
    uint64_t blocks[];
};

struct paths {
    struct unit unit;
    struct finds finds;
    uint64_t threshold, blocks;
    struct walk *walks;
    unsigned walk_count, last_walk;
    struct pc_table known;
    uint64_t executions;
    uint64_t cut; /* executions that ended because a path may not have more blocks */
    uint64_t
        dropped; /* paths under way that were left other than by a branch, or to where nothing is looked at */
};

static struct paths *of(const struct unit *unit)
{
    return (struct paths *)(uintptr_t)unit;
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    const bool included = watch_orders_include(unit->host.orders, instruction->pc);

    return (struct watch_request){.events =
                                      included && blocks_watched(instruction) ? WATCH_BRANCH : 0u};
}

static struct walk *walk_of(struct paths *own, const struct hart *hart)
{
    if (own->last_walk < own->walk_count && own->walks[own->last_walk].hart == hart) {
        return &own->walks[own->last_walk];
    }
    unsigned number = 0;
    while (number < own->walk_count && own->walks[number].hart != hart) {
        number++;
    }
    if (number == own->walk_count) {
        own->walks = realloc(own->walks, ++own->walk_count * sizeof *own->walks);
        ASSERT(own->walks != NULL);
        memset(&own->walks[number], 0, sizeof *own->walks);
        own->walks[number].hart = hart;
    }
    own->last_walk = number;
    return &own->walks[number];
}

static uint64_t digest_of(const struct find *path)
{
    uint64_t digest = spread_mix(path->next);

    for (unsigned i = 0; i < path->count; i++) {
        digest = spread_mix(digest ^ path->blocks[i]);
    }
    return digest;
}

static bool is_same(const struct known_path *known, const struct find *path, uint64_t digest)
{
    return known->item.pc == digest && known->count == path->count && known->next == path->next &&
           memcmp(known->blocks, path->blocks, path->count * sizeof *path->blocks) == 0;
}

static struct known_path *known_path(struct paths *own, const struct find *path)
{
    const uint64_t digest = digest_of(path);

    for (struct pc_item *item = pc_table_first(&own->known, digest); item != NULL;
         item = item->next) {
        struct known_path *known = (struct known_path *)(void *)item;
        if (is_same(known, path, digest)) {
            return known;
        }
    }
    struct known_path *known = calloc(1, sizeof *known + path->count * sizeof known->blocks[0]);
    ASSERT(known != NULL);
    known->item.pc = digest;
    known->count = path->count;
    known->next = path->next;
    memcpy(known->blocks, path->blocks, path->count * sizeof *path->blocks);
    pc_table_add(&own->known, &known->item);
    return known;
}

/* The path under way has been executed: it leads to `next`. */
static void end_path(struct paths *own, struct walk *walk, const struct watch_event *event,
                     uint64_t next)
{
    walk->under_way = false;
    walk->path.next = next;
    own->executions++;
    if (++known_path(own, &walk->path)->executions == own->threshold) {
        finds_add(&own->finds, event, &walk->path);
    }
}

static void drop_path(struct paths *own, struct walk *walk)
{
    own->dropped += walk->under_way;
    walk->under_way = false;
}

/* The path under way goes on at `next`, or ends there. */
static void go_on(struct paths *own, struct walk *walk, const struct watch_event *event,
                  uint64_t next)
{
    struct find *path = &walk->path;
    const enum flow flow = blocks_advance(path, event);

    if (flow == FLOW_WITHIN) {
        return;
    }
    if (flow == FLOW_BLOCK && path->count < own->blocks) {
        path->blocks[path->count++] = next;
        return;
    }
    own->cut += flow == FLOW_BLOCK;
    if (path->count > 0) {
        end_path(own, walk, event, next);
    }
}

static void on_branch(struct unit *unit, const struct watch_event *event)
{
    struct paths *own = of(unit);
    if (!blocks_counts(event)) {
        return;
    }
    struct walk *walk = walk_of(own, event->hart);
    const uint64_t next = blocks_next(event);

    if (event->instruction->pc < walk->at || !watch_orders_include(unit->host.orders, next)) {
        drop_path(own, walk);
    }
    walk->at = next;
    if (!watch_orders_include(unit->host.orders, next)) {
        return;
    }
    if (walk->under_way) {
        go_on(own, walk, event, next);
    }
    if (blocks_flow(event) == FLOW_BACK) {
        walk->under_way = finds_wants(&own->finds, next);
        blocks_begin(&walk->path, next);
    }
    finds_arrive(&own->finds, event, next);
}

static bool is_hot(const struct known_path *known, uint64_t all)
{
    return known->executions > all / HOT_SHARE;
}

static void add_bits(struct pc_item *item, void *context)
{
    const struct known_path *known = (const struct known_path *)(const void *)item;

    *(uint64_t *)context += (known->count + UINT64_C(1)) * ADDRESS_BITS + COUNT_BITS;
}

/* The hot paths: each has more than a thousandth of all executions, and is executed at least once. */
struct hottest {
    uint64_t all, executions;
    size_t count;
    const struct known_path *paths[HOT_SHARE];
};

static void add_hot(struct pc_item *item, void *context)
{
    const struct known_path *known = (const struct known_path *)(const void *)item;
    struct hottest *hottest = context;

    if (is_hot(known, hottest->all)) {
        ASSERT(hottest->count < HOT_SHARE);
        hottest->executions += known->executions;
        hottest->paths[hottest->count++] = known;
    }
}

/* The most executed first, and those executed as often in the order of their addresses. */
static int by_executions(const void *a, const void *b)
{
    const struct known_path *left = *(const struct known_path *const *)a;
    const struct known_path *right = *(const struct known_path *const *)b;

    if (left->executions != right->executions) {
        return left->executions < right->executions ? 1 : -1;
    }
    const unsigned common = left->count < right->count ? left->count : right->count;
    for (unsigned i = 0; i < common; i++) {
        if (left->blocks[i] != right->blocks[i]) {
            return left->blocks[i] < right->blocks[i] ? -1 : 1;
        }
    }
    return left->count != right->count ? (left->count < right->count ? -1 : 1)
                                       : (left->next > right->next) - (left->next < right->next);
}

static void report_path(const struct known_path *known, struct statistics *statistics)
{
    statistics->begin(statistics, NULL);
    finds_report_path(statistics, known->blocks, known->count, known->next);
    statistics->number(statistics, "executions", known->executions);
    statistics->end(statistics);
}

static void report(const struct unit *unit, struct statistics *statistics)
{
    const struct paths *own = of(unit);
    struct hottest hottest = {.all = own->executions};

    pc_table_each(&own->known, add_hot, &hottest);
    qsort(hottest.paths, hottest.count, sizeof *hottest.paths, by_executions);
    statistics->number(statistics, "paths", own->known.count);
    statistics->number(statistics, "executions", own->executions);
    statistics->number(statistics, "cut", own->cut);
    statistics->number(statistics, "dropped", own->dropped);
    statistics->number(statistics, "hot_paths", hottest.count);
    statistics->number(statistics, "hot_executions", hottest.executions);
    statistics->begin_list(statistics, "hot");
    for (size_t i = 0; i < hottest.count; i++) {
        report_path(hottest.paths[i], statistics);
    }
    statistics->end(statistics);
    finds_report(&own->finds, statistics);
}

/* Each path with its blocks, where it leads and its count; of each hart the path under way, and where control is.
 * All paths are compared at once with the one that ends, and one count is counted up. */
static struct unit_cost cost(const struct unit *unit)
{
    const struct paths *own = of(unit);
    const uint64_t walk_bits = (own->blocks + 1) * ADDRESS_BITS + 1;
    uint64_t bits = own->walk_count * walk_bits + finds_storage_bits((unsigned)own->blocks);

    pc_table_each(&own->known, add_bits, &bits);
    return (struct unit_cost){
        .storage_bits = bits, .comparators = own->known.count + finds_comparators(), .adders = 1};
}

static void on_callback(struct unit *unit, uint64_t head)
{
    finds_callback_begins(&of(unit)->finds, head);
}

static uint64_t found(const struct unit *unit, uint64_t number)
{
    return finds_word(&of(unit)->finds, number);
}

static void on_told(struct unit *unit, uint64_t address)
{
    finds_name(&of(unit)->finds, address);
}

static void on_orders(struct unit *unit)
{
    struct paths *own = of(unit);

    if (finds_ordered(&own->finds)) {
        for (unsigned i = 0; i < own->walk_count; i++) {
            drop_path(own, &own->walks[i]);
        }
    }
}

static void destroy(struct unit *unit)
{
    struct paths *own = of(unit);

    finds_release(&own->finds);
    pc_table_destroy(&own->known);
    free(own->walks);
    free(own);
}

static struct unit *create(const uint64_t *values)
{
    struct paths *own = calloc(1, sizeof *own);

    if (own == NULL || !pc_table_create(&own->known)) {
        free(own);
        return NULL;
    }
    finds_start(&own->finds, &own->unit);
    own->threshold = values[0];
    own->blocks = values[1];
    return &own->unit;
}

_Static_assert(FIND_BLOCKS == 64, "the table below has the number");
static const struct unit_parameter parameters[] = {
    {"threshold", 100, 1, 4294967295, "executions that make a path a find"},
    {"blocks", 48, 1, 64, "of a path, at the most"},
    {.name = NULL}};

const struct unit_kind paths_unit = {
    .version = UNIT_VERSION,
    .name = "paths",
    .meaning = "how often which path from one backward branch to the next is taken, exactly",
    .parameters = parameters,
    .create = create,
    .watches = watches,
    .branch = on_branch,
    .callback_begins = on_callback,
    .found = found,
    .told = on_told,
    .ordered = on_orders,
    .cost = cost,
    .report = report,
    .destroy = destroy};
