/* Finds loops in the code that was executed, function by function. */
#include "report/loop_bodies.h"

#include "base/check.h"
#include "isa/rv64/insn.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE SIZE_MAX

/* An instruction that was executed, and the ones that may follow it in its function.  Behind all of them stands a
 * node that is none: what indirect jumps lead to, and what leads to all that nothing else does, as to the cases of a
 * switch. */
struct node {
    const struct profile_count *count; /* NULL for the last */
    size_t next;                       /* the one behind it, or NOWHERE */
    size_t target;                     /* where it jumps or branches to, or NOWHERE */
    size_t latches;                    /* the first that leads back to it, or NOWHERE */
    size_t next_latch;                 /* another that leads back to where this one does */
    size_t loop;                       /* the head of the loop that it was last found in */
    uint64_t taken;
    bool backward;       /* it leads to a loop's head at `target` */
    bool reached;        /* something leads to it */
    bool call;           /* it goes to another function, and comes back */
    size_t first_before; /* in `before`: what it may follow, */
    size_t before_count;
};

/* How often a backward branch or jump was taken, and where to: it may be in another function. */
struct turn {
    guest_addr head;
    uint64_t taken;
};

/* The code of one function. */
struct code {
    struct node *nodes;
    size_t count;
    size_t *before;
    size_t *waiting; /* room for as many as there are nodes; each is in it once in a loop */
    const struct loop_facts *facts;
};

static int compare_counts(const void *a, const void *b)
{
    const struct profile_count *left = *(const struct profile_count *const *)a;
    const struct profile_count *right = *(const struct profile_count *const *)b;
    if (left->function != right->function) {
        return left->function < right->function ? -1 : 1;
    }
    return left->pc < right->pc ? -1 : left->pc > right->pc;
}

static size_t find_node(const struct code *code, guest_addr pc)
{
    size_t low = 0, high = code->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (code->nodes[middle].count->pc < pc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < code->count && code->nodes[low].count->pc == pc ? low : NOWHERE;
}

static bool is_return(const struct rv64_insn *insn)
{
    return insn->rd == 0 && (insn->rs1 == 1 || insn->rs1 == 5);
}

/* Where the instruction of `node` leads to. */
static struct turn read_ways(struct code *code, struct node *node, const struct rv64_insn *insn)
{
    const struct profile_count *count = node->count;
    const uint32_t flags = rv64_row(insn->op)->flags;
    const bool conditional = (flags & INSN_CONDITIONAL) != 0;
    const bool jump = insn->op == RV64_jal || insn->op == RV64_jalr;
    const bool links = jump && insn->rd != 0;
    const bool goes = conditional || (insn->op == RV64_jal && !links);
    node->call = links;
    if (insn->op == RV64_jalr && !links && !is_return(insn)) {
        node->target = code->count; /* anywhere */
        return (struct turn){.taken = 0};
    }
    node->next = !jump || links ? find_node(code, count->pc + insn->length) : NOWHERE;
    node->target = goes ? find_node(code, count->pc + (uint64_t)insn->imm) : NOWHERE;
    node->taken = count->executions - (conditional ? count->falls : 0);
    if (insn->imm < 0 && node->taken == 0) {
        node->target = NOWHERE;
    }
    node->backward = goes && insn->imm < 0 && node->target != NOWHERE;
    return (struct turn){.head = count->pc + (uint64_t)insn->imm,
                         .taken = goes && insn->imm < 0 ? node->taken : 0};
}

static void note_reached(struct code *code, size_t node)
{
    if (node != NOWHERE) {
        code->nodes[node].reached = true;
    }
}

static void add_before(struct code *code, size_t from, size_t to, bool fill)
{
    if (to != NOWHERE) {
        struct node *node = &code->nodes[to];
        if (fill) {
            code->before[node->first_before + node->before_count] = from;
        }
        node->before_count++;
    }
}

/* Adds to each node what it may follow: first how many, then which. */
static void connect(struct code *code, bool fill)
{
    size_t used = 0;
    for (size_t i = 0; fill && i <= code->count; i++) {
        code->nodes[i].first_before = used;
        used += code->nodes[i].before_count;
        code->nodes[i].before_count = 0;
    }
    for (size_t i = 0; i < code->count; i++) {
        add_before(code, i, code->nodes[i].next, fill);
        add_before(code, i, code->nodes[i].target, fill);
        if (!code->nodes[i].reached && i > 0) {
            add_before(code, code->count, i, fill);
        }
    }
}

static uint64_t called_from(const struct loop_facts *facts, guest_addr site)
{
    return facts->called != NULL ? facts->called(facts->context, site) : 0;
}

/* Adds a node to the loop, and to those whose ways there are looked at, unless it is in it. */
static size_t add_node(struct code *code, size_t index, size_t head, struct loop_body *loop,
                       size_t waiting)
{
    struct node *node = &code->nodes[index];
    if (node->loop == head) {
        return waiting;
    }
    node->loop = head;
    if (node->count != NULL) {
        loop->instructions += node->count->executions;
        loop->cycles += node->count->cycles;
        loop->called += node->call ? called_from(code->facts, node->count->pc) : 0;
    }
    code->waiting[waiting] = index;
    return waiting + 1;
}

static void gather(struct code *code, size_t head, struct loop_body *loop)
{
    size_t waiting = 0;
    add_node(code, head, head, loop, 0); /* what leads to the head is not in the loop by that */
    for (size_t i = code->nodes[head].latches; i != NOWHERE; i = code->nodes[i].next_latch) {
        waiting = add_node(code, i, head, loop, waiting);
    }
    while (waiting > 0) {
        const struct node *node = &code->nodes[code->waiting[--waiting]];
        for (size_t k = 0; k < node->before_count; k++) {
            waiting = add_node(code, code->before[node->first_before + k], head, loop, waiting);
        }
    }
}

static void add_loop(struct loop_bodies *bodies, size_t *capacity, struct loop_body loop)
{
    if (bodies->count == *capacity) {
        *capacity = *capacity != 0 ? *capacity * 2 : 64;
        bodies->loops = realloc(bodies->loops, *capacity * sizeof *bodies->loops);
        ASSERT(bodies->loops != NULL);
    }
    bodies->loops[bodies->count++] = loop;
}

static void find_loops(struct code *code, struct loop_bodies *bodies, size_t *capacity)
{
    for (size_t i = 0; i < code->count; i++) {
        note_reached(code, code->nodes[i].next);
        note_reached(code, code->nodes[i].target);
    }
    connect(code, false);
    size_t ways = 0;
    for (size_t i = 0; i <= code->count; i++) {
        ways += code->nodes[i].before_count;
    }
    code->before = calloc(ways + 1, sizeof *code->before);
    ASSERT(code->before != NULL);
    connect(code, true);
    for (size_t i = 0; i < code->count; i++) {
        struct node *node = &code->nodes[i];
        if (node->backward) {
            node->next_latch = code->nodes[node->target].latches;
            code->nodes[node->target].latches = i;
        }
    }
    for (size_t head = 0; head < code->count; head++) {
        const struct profile_count *count = code->nodes[head].count;
        if (code->nodes[head].latches != NOWHERE) {
            struct loop_body loop = {
                .head = count->pc, .function = count->function, .executions = count->executions};
            gather(code, head, &loop);
            add_loop(bodies, capacity, loop);
        }
    }
    free(code->before);
}

static struct node empty_node(const struct profile_count *count)
{
    return (struct node){
        .count = count, .next = NOWHERE, .target = NOWHERE, .latches = NOWHERE, .loop = NOWHERE};
}

static int by_instructions(const void *a, const void *b)
{
    const struct loop_body *left = a, *right = b;
    if (left->instructions != right->instructions) {
        return left->instructions < right->instructions ? 1 : -1;
    }
    return left->head < right->head ? -1 : left->head > right->head;
}

static int by_head(const void *a, const void *b)
{
    const struct loop_body *left = a, *right = b;
    return left->head < right->head ? -1 : left->head > right->head;
}

static void count_turns(struct loop_bodies *bodies, const struct turn *turns, size_t count)
{
    qsort(bodies->loops, bodies->count, sizeof *bodies->loops, by_head);
    for (size_t i = 0; i < count; i++) {
        const struct loop_body key = {.head = turns[i].head};
        struct loop_body *loop = bsearch(&key, bodies->loops, bodies->count, sizeof key, by_head);
        if (loop != NULL) {
            loop->turns += turns[i].taken;
        }
    }
}

static int compare_addresses(const void *a, const void *b)
{
    const guest_addr left = *(const guest_addr *)a, right = *(const guest_addr *)b;
    return left < right ? -1 : left > right;
}

/* Where calls lead to that say so themselves, in order; to be freed. */
static guest_addr *find_called(const struct profile_count *counts, size_t count,
                               const struct origins *origins, size_t *found)
{
    guest_addr *called = calloc(count + 1, sizeof *called);
    ASSERT(called != NULL);
    *found = 0;
    for (size_t i = 0; i < count; i++) {
        struct rv64_insn insn;
        if (origins_read(origins, counts[i].pc, &insn) && insn.op == RV64_jal && insn.rd != 0) {
            called[(*found)++] = counts[i].pc + (uint64_t)insn.imm;
        }
    }
    qsort(called, *found, sizeof *called, compare_addresses);
    return called;
}

struct loop_bodies loop_bodies_find(const struct profile_count *counts, size_t count,
                                    const struct loop_facts *facts)
{
    const struct profile_count **sorted = calloc(count + 1, sizeof(const struct profile_count *));
    struct code code = {.nodes = calloc(count + 1, sizeof *code.nodes),
                        .waiting = calloc(count + 1, sizeof *code.waiting),
                        .facts = facts};
    struct loop_bodies bodies = {.loops = NULL};
    struct turn *turns = calloc(count + 1, sizeof *turns);
    size_t capacity = 0, turn_count = 0;
    ASSERT(turns != NULL && sorted != NULL && code.nodes != NULL && code.waiting != NULL);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &counts[i];
    }
    qsort(sorted, count, sizeof(const struct profile_count *), compare_counts);
    size_t called_count;
    guest_addr *called = find_called(counts, count, facts->origins, &called_count);
    for (size_t begin = 0, end; begin < count; begin = end) {
        const uint32_t function = sorted[begin]->function;
        const bool whole = facts->is_function(facts->context, function);
        code.count = 0;
        for (end = begin; end < count && sorted[end]->function == function; end++) {
            if (!whole && end > begin &&
                bsearch(&sorted[end]->pc, called, called_count, sizeof *called,
                        compare_addresses) != NULL) {
                break;
            }
            code.nodes[code.count++] = empty_node(sorted[end]);
        }
        code.nodes[code.count] = empty_node(NULL);
        for (size_t i = 0; i < code.count; i++) {
            struct rv64_insn insn;
            if (origins_read(facts->origins, code.nodes[i].count->pc, &insn)) {
                turns[turn_count] = read_ways(&code, &code.nodes[i], &insn);
                turn_count += turns[turn_count].taken != 0;
            }
        }
        find_loops(&code, &bodies, &capacity);
    }
    if (bodies.count > 0) {
        count_turns(&bodies, turns, turn_count);
        qsort(bodies.loops, bodies.count, sizeof *bodies.loops, by_instructions);
    }
    free(turns);
    free(called);
    free(sorted);
    free(code.nodes);
    free(code.waiting);
    return bodies;
}

void loop_bodies_free(struct loop_bodies *bodies)
{
    free(bodies->loops);
}
