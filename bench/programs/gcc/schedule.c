/* Orders the instructions of a block so that long latencies overlap. */
#include "machine.h"

struct work {
    struct machine_insn insn;
    unsigned uses;
    unsigned defs;
    int waits_for;
    int priority;
    int ready;
    bool done;
};

struct dependence {
    int to;
    int latency;
    int next;
};

struct scheduler {
    struct work *work;
    int count;
    int *first;
    LIST_OF(struct dependence) edges;
    struct arena *scratch;
};

static unsigned mask_of(const int *registers, int count)
{
    unsigned mask = 0;
    for (int i = 0; i < count; i++) {
        mask |= 1u << registers[i];
    }
    return mask & ~1u;
}

static bool is_memory(const struct machine_insn *insn)
{
    enum machine_format format = machine_facts[insn->op].format;
    return format == LOADS || format == STORES;
}

static bool ends_block(const struct machine_insn *insn)
{
    enum machine_format format = machine_facts[insn->op].format;
    return format == BRANCHES || format == JUMPS || format == RETURNS;
}

/* Only slots of the frame, and only globals, are known to be apart. */
static bool may_overlap(const struct machine_insn *a, const struct machine_insn *b)
{
    if (machine_facts[a->op].format == LOADS && machine_facts[b->op].format == LOADS) {
        return false;
    }
    bool known = a->rs1 == b->rs1 && (a->rs1 == R_SP || a->rs1 == R_ZERO);
    int distance = a->imm - b->imm;
    return !known || (distance > -4 && distance < 4);
}

/* The latency of the dependence of b on the earlier a, or -1. */
static int dependence_latency(const struct work *a, const struct work *b)
{
    if ((a->defs & b->uses) != 0) {
        return machine_facts[a->insn.op].latency;
    }
    if (a->insn.op == M_JAL || b->insn.op == M_JAL || ends_block(&b->insn)) {
        return 0;
    }
    if ((a->uses & b->defs) != 0) {
        return 0;
    }
    if ((a->defs & b->defs) != 0) {
        return 1;
    }
    if (is_memory(&a->insn) && is_memory(&b->insn) && may_overlap(&a->insn, &b->insn)) {
        return 1;
    }
    return -1;
}

static void add_dependence(struct scheduler *s, int from, int to, int latency)
{
    struct dependence edge = {to, latency, s->first[from]};
    s->first[from] = s->edges.count;
    list_push(s->scratch, &s->edges, edge);
    s->work[to].waits_for++;
}

static void build_dependences(struct scheduler *s)
{
    for (int to = 0; to < s->count; to++) {
        for (int from = to - 1; from >= 0; from--) {
            int latency = dependence_latency(&s->work[from], &s->work[to]);
            if (latency >= 0) {
                add_dependence(s, from, to, latency);
            }
            if (s->work[from].insn.op == M_JAL) {
                break;
            }
        }
    }
    for (int from = s->count - 1; from >= 0; from--) {
        int longest = machine_facts[s->work[from].insn.op].latency;
        for (int e = s->first[from]; e >= 0; e = s->edges.items[e].next) {
            int length = s->edges.items[e].latency + s->work[s->edges.items[e].to].priority;
            longest = length > longest ? length : longest;
        }
        s->work[from].priority = longest;
    }
}

static int best_ready(const struct scheduler *s, int cycle)
{
    int best = -1;
    for (int i = 0; i < s->count; i++) {
        const struct work *work = &s->work[i];
        if (work->done || work->waits_for > 0 || work->ready > cycle) {
            continue;
        }
        if (best < 0 || work->priority > s->work[best].priority) {
            best = i;
        }
    }
    return best;
}

static void release_successors(struct scheduler *s, int index, int cycle)
{
    for (int e = s->first[index]; e >= 0; e = s->edges.items[e].next) {
        struct work *work = &s->work[s->edges.items[e].to];
        int ready = cycle + s->edges.items[e].latency;
        work->waits_for--;
        work->ready = ready > work->ready ? ready : work->ready;
    }
}

/* In order, one instruction a cycle: what the order costs. */
static int cycles_of(const struct block *block)
{
    int ready[REGISTER_COUNT] = {0};
    int registers[DEF_LIMIT];
    int cycle = 0;
    for (int i = 0; i < block->code.count; i++) {
        const struct machine_insn *insn = &block->code.items[i];
        int count = machine_uses(insn, registers);
        for (int k = 0; k < count; k++) {
            cycle = ready[registers[k]] > cycle ? ready[registers[k]] : cycle;
        }
        count = machine_defs(insn, registers);
        for (int k = 0; k < count; k++) {
            ready[registers[k]] = cycle + machine_facts[insn->op].latency;
        }
        cycle++;
    }
    return cycle;
}

static void schedule_block(struct block *block, struct arena *scratch)
{
    struct scheduler s = {.scratch = scratch, .count = block->code.count};
    int registers[DEF_LIMIT];
    s.work = arena_array(scratch, s.count, sizeof *s.work);
    s.first = arena_array(scratch, s.count, sizeof *s.first);
    for (int i = 0; i < s.count; i++) {
        struct work *work = &s.work[i];
        work->insn = block->code.items[i];
        work->uses = mask_of(registers, machine_uses(&work->insn, registers));
        work->defs = mask_of(registers, machine_defs(&work->insn, registers));
        s.first[i] = -1;
    }
    build_dependences(&s);
    int placed = 0;
    for (int cycle = 0; placed < s.count; cycle++) {
        int index = best_ready(&s, cycle);
        if (index >= 0) {
            s.work[index].done = true;
            block->code.items[placed++] = s.work[index].insn;
            release_successors(&s, index, cycle);
        }
    }
}

void schedule_function(struct function *f, struct arena *scratch, struct backend_counts *counts)
{
    for_each_block(f, block)
    {
        if (block->code.count < 3) {
            continue;
        }
        int before = cycles_of(block);
        schedule_block(block, scratch);
        counts->scheduled_cycles_saved += before - cycles_of(block);
    }
}
