/* Finds loops in the code that was executed, function by function. */
#include "report/loop_bodies.h"

#include "base/check.h"
#include "isa/rv64/decode.h"
#include "report/loop_nest.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE SIZE_MAX

/* An instruction that was executed, and the ones that may follow it in its function. */
struct node {
    const struct profile_count *count;
    size_t next;   /* the one behind it, or NOWHERE */
    size_t target; /* where it jumps or branches to, or NOWHERE */
    uint64_t taken;
    bool backward; /* it leads back to `target` */
    bool indirect; /* it is a jump whose target is not known */
    bool reached;  /* something leads to it */
    bool orphan;   /* no known way leads to it from where the function begins */
    bool call;     /* it goes to another function, and comes back */
    size_t loop;   /* the number of the loop that it was last found in; 0 if there is none */
};

/* How often a backward branch or jump was taken, and where to: it may be in another function. */
struct turn {
    guest_addr head;
    uint64_t taken;
};

/* The ways between nodes in one direction: those of node i are ends[first[i]] to ends[first[i + 1] - 1]. */
struct ways {
    size_t *first, *ends;
};

/* The code of one function. */
struct code {
    struct node *nodes;
    size_t count;
    struct ways after, before;
    bool *turned_to; /* of each node: whether a backward branch leads to it */
    size_t *waiting; /* room for all nodes */
    size_t loop_count;
    const struct loop_facts *facts;
    struct loop_bodies *bodies;
    size_t *capacity; /* of the bodies */
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
        node->indirect = true;
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

/* Calls `add` for each way. */
static void walk_ways(struct code *code, void (*add)(struct code *code, size_t from, size_t to))
{
    /* The indirect jump before this node, or the first; what nothing else leads to is a case of it. */
    size_t jump = NOWHERE;
    for (size_t i = 0; i < code->count && jump == NOWHERE; i++) {
        jump = code->nodes[i].indirect ? i : NOWHERE;
    }
    for (size_t i = 0; i < code->count; i++) {
        const struct node *node = &code->nodes[i];
        if (node->next != NOWHERE) {
            add(code, i, node->next);
        }
        if (node->target != NOWHERE) {
            add(code, i, node->target);
        }
        if (!node->reached && i > 0 && jump != NOWHERE) {
            add(code, jump, i);
        }
        jump = node->indirect ? i : jump;
    }
}

static void count_way(struct code *code, size_t from, size_t to)
{
    code->after.first[from + 1]++;
    code->before.first[to + 1]++;
}

/* `first` is moved on, and is set right again by `rewind_ways`. */
static void put_way(struct code *code, size_t from, size_t to)
{
    code->after.ends[code->after.first[from]++] = to;
    code->before.ends[code->before.first[to]++] = from;
}

static void sum_ways(struct ways *ways, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ways->first[i + 1] += ways->first[i];
    }
    ways->ends = calloc(ways->first[count] + 1, sizeof *ways->ends);
    ASSERT(ways->ends != NULL);
}

static void rewind_ways(struct ways *ways, size_t count)
{
    memmove(ways->first + 1, ways->first, count * sizeof *ways->first);
    ways->first[0] = 0;
}

static void connect(struct code *code)
{
    for (size_t i = 0; i < code->count; i++) {
        note_reached(code, code->nodes[i].next);
        note_reached(code, code->nodes[i].target);
    }
    memset(code->after.first, 0, (code->count + 1) * sizeof *code->after.first);
    memset(code->before.first, 0, (code->count + 1) * sizeof *code->before.first);
    walk_ways(code, count_way);
    sum_ways(&code->after, code->count);
    sum_ways(&code->before, code->count);
    walk_ways(code, put_way);
    rewind_ways(&code->after, code->count);
    rewind_ways(&code->before, code->count);
}

/* What is not reached from the first node are handlers of exceptions, mostly. */
static void find_orphans(struct code *code)
{
    size_t waiting = 0;
    for (size_t i = 0; i < code->count; i++) {
        code->nodes[i].orphan = i > 0;
    }
    code->waiting[waiting++] = 0;
    while (waiting > 0) {
        const size_t node = code->waiting[--waiting];
        for (size_t i = code->after.first[node]; i < code->after.first[node + 1]; i++) {
            const size_t to = code->after.ends[i];
            if (code->nodes[to].orphan) {
                code->nodes[to].orphan = false;
                code->waiting[waiting++] = to;
            }
        }
    }
}

static uint64_t called_from(const struct loop_facts *facts, guest_addr site)
{
    return facts->called != NULL ? facts->called(facts->context, site) : 0;
}

static void add_node(struct code *code, struct node *node, struct loop_body *loop)
{
    node->loop = code->loop_count;
    loop->instructions += node->count->executions;
    loop->cycles += node->count->cycles;
    loop->called += node->call ? called_from(code->facts, node->count->pc) : 0;
}

/* A handler that goes on inside the loop belongs to it.  One that goes to where the loop is entered may as well
 * belong to what is before. */
static void add_handlers(struct code *code, const struct nested_loop *found, struct loop_body *loop)
{
    size_t waiting = 0;
    for (size_t i = 1; i < found->count; i++) {
        code->waiting[waiting++] = found->members[i];
    }
    while (waiting > 0) {
        const size_t node = code->waiting[--waiting];
        for (size_t i = code->before.first[node]; i < code->before.first[node + 1]; i++) {
            const size_t from = code->before.ends[i];
            if (code->nodes[from].orphan && code->nodes[from].loop != code->loop_count) {
                add_node(code, &code->nodes[from], loop);
                code->waiting[waiting++] = from;
            }
        }
    }
}

/* The head: where a branch in the loop leads back to.  That is where the loop is entered, unless the condition stands
 * at its end and is entered first, as compilers that do not optimize place it; then it is the first node that is led
 * back to by more than a loop inside.  A jump back to where parts of the loop meet is no loop of its own. */
static size_t find_head(const struct code *code, const struct nested_loop *found)
{
    const size_t header = found->members[0];
    size_t head = NOWHERE;
    for (size_t i = 0; i < found->count; i++) {
        const size_t from = found->members[i], to = code->nodes[from].target;
        if (!code->nodes[from].backward || code->nodes[to].loop != code->loop_count) {
            continue;
        }
        if (to == header) {
            return header;
        }
        if (found->parts[from] != found->parts[to] && (head == NOWHERE || to < head)) {
            head = to;
        }
    }
    return head;
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

static void note_loop(void *context, const struct nested_loop *found)
{
    struct code *code = context;
    struct loop_body loop = {.head = 0};
    code->loop_count++;
    for (size_t i = 0; i < found->count; i++) {
        add_node(code, &code->nodes[found->members[i]], &loop);
    }
    const size_t head = find_head(code, found);
    if (head != NOWHERE) { /* else it is closed by jumps whose target is not known */
        add_handlers(code, found, &loop);
        loop.head = code->nodes[head].count->pc;
        loop.function = code->nodes[head].count->function;
        loop.executions = code->nodes[head].count->executions;
        add_loop(code->bodies, code->capacity, loop);
    }
}

static void find_loops(struct code *code)
{
    connect(code);
    find_orphans(code);
    memset(code->turned_to, 0, code->count * sizeof *code->turned_to);
    for (size_t i = 0; i < code->count; i++) {
        if (code->nodes[i].backward) {
            code->turned_to[code->nodes[i].target] = true;
        }
    }
    const struct flow flow = {.count = code->count,
                              .first_after = code->after.first,
                              .after = code->after.ends,
                              .first_before = code->before.first,
                              .before = code->before.ends,
                              .turned_to = code->turned_to};
    loop_nest_find(&flow, note_loop, code);
    free(code->after.ends);
    free(code->before.ends);
}

static struct node empty_node(const struct profile_count *count)
{
    return (struct node){.count = count, .next = NOWHERE, .target = NOWHERE};
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

/* The loops are in order of their heads. */
static void count_turns(struct loop_bodies *bodies, const struct turn *turns, size_t count)
{
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
static guest_addr *find_called(const struct profile_count *counts, size_t count, size_t *found)
{
    guest_addr *called = calloc(count + 1, sizeof *called);
    ASSERT(called != NULL);
    *found = 0;
    for (size_t i = 0; i < count; i++) {
        struct rv64_insn insn;
        rv64_decode(counts[i].word, &insn);
        if (counts[i].word != 0 && insn.op == RV64_jal && insn.rd != 0) {
            called[(*found)++] = counts[i].pc + (uint64_t)insn.imm;
        }
    }
    qsort(called, *found, sizeof *called, compare_addresses);
    return called;
}

/* The nodes of the function that `sorted` begins with; code without functions ends where a call leads to. */
static void take_function(struct code *code, const struct profile_count *const *sorted,
                          size_t count, const guest_addr *called, size_t called_count)
{
    const uint32_t function = sorted[0]->function;
    const bool whole = code->facts->is_function(code->facts->context, function);
    code->count = 0;
    while (code->count < count && sorted[code->count]->function == function) {
        const guest_addr pc = sorted[code->count]->pc;
        if (!whole && code->count > 0 &&
            bsearch(&pc, called, called_count, sizeof *called, compare_addresses) != NULL) {
            break;
        }
        code->nodes[code->count] = empty_node(sorted[code->count]);
        code->count++;
    }
}

/* Of loops with the same head only the largest is left; they are in order of their heads. */
static void join_loops(struct loop_bodies *bodies)
{
    size_t kept = 0;
    for (size_t i = 0; i < bodies->count; i++) {
        const struct loop_body *loop = &bodies->loops[i];
        struct loop_body *last = kept > 0 ? &bodies->loops[kept - 1] : NULL;
        if (last == NULL || last->head != loop->head || last->function != loop->function) {
            bodies->loops[kept++] = *loop;
        } else if (loop->instructions > last->instructions) {
            *last = *loop;
        }
    }
    bodies->count = kept;
}

struct loop_bodies loop_bodies_find(const struct profile_count *counts, size_t count,
                                    const struct loop_facts *facts)
{
    const struct profile_count **sorted = calloc(count + 1, sizeof(const struct profile_count *));
    struct loop_bodies bodies = {.loops = NULL};
    size_t capacity = 0, turn_count = 0, called_count;
    struct code code = {.nodes = calloc(count + 1, sizeof *code.nodes),
                        .after.first = calloc(count + 1, sizeof *code.after.first),
                        .before.first = calloc(count + 1, sizeof *code.before.first),
                        .turned_to = calloc(count + 1, sizeof *code.turned_to),
                        .waiting = calloc(count + 1, sizeof *code.waiting),
                        .facts = facts,
                        .bodies = &bodies,
                        .capacity = &capacity};
    struct turn *turns = calloc(count + 1, sizeof *turns);
    ASSERT(turns != NULL && sorted != NULL && code.nodes != NULL && code.after.first != NULL &&
           code.before.first != NULL && code.turned_to != NULL && code.waiting != NULL);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &counts[i];
    }
    qsort(sorted, count, sizeof(const struct profile_count *), compare_counts);
    guest_addr *called = find_called(counts, count, &called_count);
    for (size_t begin = 0; begin < count; begin += code.count) {
        take_function(&code, sorted + begin, count - begin, called, called_count);
        for (size_t i = 0; i < code.count; i++) {
            struct rv64_insn insn;
            if (code.nodes[i].count->word != 0) {
                rv64_decode(code.nodes[i].count->word, &insn);
                turns[turn_count] = read_ways(&code, &code.nodes[i], &insn);
                turn_count += turns[turn_count].taken != 0;
            }
        }
        find_loops(&code);
    }
    if (bodies.count > 0) {
        qsort(bodies.loops, bodies.count, sizeof *bodies.loops, by_head);
        join_loops(&bodies);
        count_turns(&bodies, turns, turn_count);
        qsort(bodies.loops, bodies.count, sizeof *bodies.loops, by_instructions);
    }
    free(turns);
    free(called);
    free(sorted);
    free(code.nodes);
    free(code.after.first);
    free(code.before.first);
    free(code.turned_to);
    free(code.waiting);
    return bodies;
}

void loop_bodies_free(struct loop_bodies *bodies)
{
    free(bodies->loops);
}
