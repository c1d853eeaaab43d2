/* Register allocation by colouring the interference graph: coalesce, simplify, select, spill, again. */
#include "machine.h"

struct node {
    LIST_OF(int) neighbours;
    int degree;
    int alias;
    int color;
    double cost;
    bool removed;
    bool unspillable;
    int hint;
};

struct allocator {
    struct function *f;
    struct arena *scratch;
    int count;
    struct node *nodes;
    uint64_t *matrix;
    struct liveness live;
    LIST_OF(int) stack;
    struct bitset fresh;
    struct backend_counts *counts;
};

/* The registers that may be given out: all but zero, the stack pointer and the return address. */
enum { COLORS = REGISTER_COUNT - R_ARGUMENT };

static size_t matrix_bit(int a, int b)
{
    int high = a > b ? a : b;
    int low = a > b ? b : a;
    return (size_t)high * (size_t)(high + 1) / 2 + (size_t)low;
}

static bool interferes(const struct allocator *a, int x, int y)
{
    size_t bit = matrix_bit(x, y);
    return (a->matrix[bit >> 6] >> (bit & 63) & 1) != 0;
}

static void add_edge(struct allocator *a, int x, int y)
{
    if (x == y || interferes(a, x, y) || x < R_RA || y < R_RA) {
        return;
    }
    size_t bit = matrix_bit(x, y);
    a->matrix[bit >> 6] |= UINT64_C(1) << (bit & 63);
    list_push(a->scratch, &a->nodes[x].neighbours, y);
    list_push(a->scratch, &a->nodes[y].neighbours, x);
    a->nodes[x].degree++;
    a->nodes[y].degree++;
}

static int find_alias(struct allocator *a, int reg)
{
    while (a->nodes[reg].alias != reg) {
        a->nodes[reg].alias = a->nodes[a->nodes[reg].alias].alias;
        reg = a->nodes[reg].alias;
    }
    return reg;
}

static double block_weight(const struct block *block)
{
    double weight = 1;
    for (int depth = block->loop == NULL ? 0 : block->loop->depth; depth > 0; depth--) {
        weight *= 8;
    }
    return weight;
}

static void add_insn_edges(struct allocator *a, const struct machine_insn *insn,
                           struct bitset *live, double weight)
{
    int registers[DEF_LIMIT];
    int defs = machine_defs(insn, registers);
    bool is_move = machine_is_move(insn);
    for (int k = 0; k < defs; k++) {
        bitset_add(live, registers[k]);
    }
    for (int k = 0; k < defs; k++) {
        a->nodes[registers[k]].cost += weight;
        for (int reg = bitset_next(live, 0); reg >= 0; reg = bitset_next(live, reg + 1)) {
            /* A copy and its source hold the same value. */
            if (!is_move || reg != insn->rs1) {
                add_edge(a, registers[k], reg);
            }
        }
    }
    for (int k = 0; k < defs; k++) {
        bitset_remove(live, registers[k]);
    }
    int uses = machine_uses(insn, registers);
    for (int k = 0; k < uses; k++) {
        bitset_add(live, registers[k]);
        a->nodes[registers[k]].cost += weight;
    }
}

static void build_graph(struct allocator *a)
{
    struct function *f = a->f;
    a->count = f->register_count;
    a->nodes = arena_array(a->scratch, a->count, sizeof *a->nodes);
    a->matrix = arena_take(a->scratch, (matrix_bit(a->count, 0) / 64 + 1) * 8);
    a->live = liveness_find(f, a->scratch);
    for (int i = 0; i < a->count; i++) {
        a->nodes[i].alias = i;
        a->nodes[i].color = i < REGISTER_COUNT ? i : -1;
        a->nodes[i].hint = -1;
        a->nodes[i].unspillable =
            i < REGISTER_COUNT || (i < a->fresh.word_count * 64 && bitset_has(&a->fresh, i));
    }
    struct bitset live = bitset_make(a->scratch, a->count);
    for_each_block(f, block)
    {
        double weight = block_weight(block);
        bitset_copy(&live, &a->live.out[block->order]);
        for (int i = block->code.count - 1; i >= 0; i--) {
            add_insn_edges(a, &block->code.items[i], &live, weight);
        }
    }
}

/* Briggs: the united node must not have as many difficult neighbours as there are colours. */
static bool is_safe(struct allocator *a, int x, int y)
{
    int difficult = 0;
    const struct node *nodes[2] = {&a->nodes[x], &a->nodes[y]};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < nodes[k]->neighbours.count; i++) {
            int n = find_alias(a, nodes[k]->neighbours.items[i]);
            bool counted = k == 1 && interferes(a, n, x);
            if (!counted && (n < REGISTER_COUNT || a->nodes[n].degree >= COLORS)) {
                difficult++;
            }
        }
    }
    return difficult < COLORS;
}

static void unite(struct allocator *a, int x, int y)
{
    struct node *gone = &a->nodes[y];
    gone->alias = x;
    for (int i = 0; i < gone->neighbours.count; i++) {
        int n = find_alias(a, gone->neighbours.items[i]);
        add_edge(a, x, n);
    }
    a->nodes[x].cost += gone->cost;
    a->nodes[x].unspillable = a->nodes[x].unspillable || gone->unspillable;
}

static void rename_registers(struct allocator *a)
{
    for_each_block(a->f, block)
    {
        for (int i = 0; i < block->code.count; i++) {
            struct machine_insn *insn = &block->code.items[i];
            insn->rd = insn->rd < 0 ? -1 : find_alias(a, insn->rd);
            insn->rs1 = insn->rs1 < 0 ? -1 : find_alias(a, insn->rs1);
            insn->rs2 = insn->rs2 < 0 ? -1 : find_alias(a, insn->rs2);
        }
    }
}

static int delete_own_moves(struct function *f)
{
    int deleted = 0;
    for_each_block(f, block)
    {
        int kept = 0;
        for (int i = 0; i < block->code.count; i++) {
            struct machine_insn insn = block->code.items[i];
            if (insn.op == M_ADDI && insn.imm == 0 && insn.rd == insn.rs1) {
                deleted++;
            } else {
                block->code.items[kept++] = insn;
            }
        }
        block->code.count = kept;
    }
    return deleted;
}

static int coalesce(struct allocator *a)
{
    int united = 0;
    for_each_block(a->f, block)
    {
        for (int i = 0; i < block->code.count; i++) {
            const struct machine_insn *insn = &block->code.items[i];
            if (!machine_is_move(insn) || insn->rd < REGISTER_COUNT || insn->rs1 < REGISTER_COUNT) {
                continue;
            }
            int x = find_alias(a, insn->rd);
            int y = find_alias(a, insn->rs1);
            if (x != y && !interferes(a, x, y) && is_safe(a, x, y)) {
                unite(a, x, y);
                united++;
            }
        }
    }
    if (united > 0) {
        rename_registers(a);
        a->counts->moves_coalesced += delete_own_moves(a->f);
    }
    return united;
}

static void find_hints(struct allocator *a)
{
    for_each_block(a->f, block)
    {
        for (int i = 0; i < block->code.count; i++) {
            const struct machine_insn *insn = &block->code.items[i];
            if (machine_is_move(insn)) {
                a->nodes[insn->rd].hint = insn->rs1;
                a->nodes[insn->rs1].hint = insn->rd;
            }
        }
    }
}

static void push_node(struct allocator *a, int n)
{
    a->nodes[n].removed = true;
    list_push(a->scratch, &a->stack, n);
    for (int i = 0; i < a->nodes[n].neighbours.count; i++) {
        a->nodes[a->nodes[n].neighbours.items[i]].degree--;
    }
}

static int cheapest_spill(const struct allocator *a)
{
    int best = -1;
    double best_cost = 0;
    for (int n = REGISTER_COUNT; n < a->count; n++) {
        const struct node *node = &a->nodes[n];
        if (node->removed || node->degree < COLORS) {
            continue;
        }
        double cost = node->unspillable ? 1e30 : node->cost / node->degree;
        if (best < 0 || cost < best_cost) {
            best = n;
            best_cost = cost;
        }
    }
    return best;
}

static void simplify(struct allocator *a)
{
    LIST_OF(int) work = {0};
    int left = a->count - REGISTER_COUNT;
    for (int n = REGISTER_COUNT; n < a->count; n++) {
        if (a->nodes[n].degree < COLORS) {
            list_push(a->scratch, &work, n);
        }
    }
    while (left > 0) {
        int n;
        if (work.count > 0) {
            n = work.items[--work.count];
        } else {
            n = cheapest_spill(a);
        }
        if (a->nodes[n].removed) {
            continue;
        }
        push_node(a, n);
        left--;
        for (int i = 0; i < a->nodes[n].neighbours.count; i++) {
            int m = a->nodes[n].neighbours.items[i];
            if (m >= REGISTER_COUNT && !a->nodes[m].removed && a->nodes[m].degree == COLORS - 1) {
                list_push(a->scratch, &work, m);
            }
        }
    }
}

static int choose_color(const struct allocator *a, int n)
{
    unsigned taken = 0;
    for (int i = 0; i < a->nodes[n].neighbours.count; i++) {
        int color = a->nodes[a->nodes[n].neighbours.items[i]].color;
        if (color >= 0) {
            taken |= 1u << color;
        }
    }
    int hint = a->nodes[n].hint < 0 ? -1 : a->nodes[a->nodes[n].hint].color;
    if (hint >= R_ARGUMENT && (taken >> hint & 1) == 0) {
        return hint;
    }
    for (int color = R_ARGUMENT; color < REGISTER_COUNT; color++) {
        if ((taken >> color & 1) == 0) {
            return color;
        }
    }
    return -1;
}

/* Says how many nodes found no colour; these are marked in `spilled`. */
static int assign_colors(struct allocator *a, struct bitset *spilled)
{
    int failed = 0;
    while (a->stack.count > 0) {
        int n = a->stack.items[--a->stack.count];
        a->nodes[n].color = choose_color(a, n);
        if (a->nodes[n].color < 0) {
            bitset_add(spilled, n);
            failed++;
        }
    }
    return failed;
}

struct spiller {
    struct function *f;
    struct bitset *spilled;
    int *offsets;
    struct machine_insn *out;
    int count;
};

static int spill_offset(struct spiller *s, int reg)
{
    if (s->offsets[reg] < 0) {
        s->offsets[reg] = s->f->frame_bytes;
        s->f->frame_bytes += 4;
    }
    return s->offsets[reg];
}

static int reload(struct spiller *s, int reg, int other, int other_register)
{
    if (reg < 0 || !bitset_has(s->spilled, reg)) {
        return reg;
    }
    if (reg == other) {
        return other_register;
    }
    int fresh = s->f->register_count++;
    s->out[s->count++] = machine_make(M_LW, fresh, R_SP, -1, spill_offset(s, reg));
    return fresh;
}

static void spill_insn(struct spiller *s, struct machine_insn insn)
{
    struct machine_insn new = insn;
    new.rs1 = reload(s, insn.rs1, -1, -1);
    new.rs2 = reload(s, insn.rs2, insn.rs1, new.rs1);
    if (insn.rd < 0 || !bitset_has(s->spilled, insn.rd)) {
        s->out[s->count++] = new;
        return;
    }
    if (insn.op == M_CMOV) {
        new.rd = reload(s, insn.rd, -1, -1);
    } else {
        new.rd = s->f->register_count++;
    }
    s->out[s->count++] = new;
    s->out[s->count++] = machine_make(M_SW, -1, R_SP, new.rd, spill_offset(s, insn.rd));
}

static void spill_registers(struct allocator *a, struct bitset *spilled)
{
    struct function *f = a->f;
    int old_count = f->register_count;
    struct spiller s = {.f = f, .spilled = spilled};
    s.offsets = arena_array(a->scratch, old_count, sizeof(int));
    memset(s.offsets, -1, (size_t)old_count * sizeof(int));
    for_each_block(f, block)
    {
        s.out = arena_array(f->arena, block->code.count * 4, sizeof *s.out);
        s.count = 0;
        int capacity = block->code.count * 4;
        for (int i = 0; i < block->code.count; i++) {
            spill_insn(&s, block->code.items[i]);
        }
        block->code.items = s.out;
        block->code.count = s.count;
        block->code.capacity = capacity;
    }
    struct bitset fresh = bitset_make(a->scratch, f->register_count);
    for (int i = REGISTER_COUNT; i < f->register_count; i++) {
        if (i >= old_count || (i < a->fresh.word_count * 64 && bitset_has(&a->fresh, i))) {
            bitset_add(&fresh, i);
        }
    }
    a->fresh = fresh;
}

static void apply_colors(struct allocator *a)
{
    for (int i = 0; i < a->count; i++) {
        a->nodes[i].alias = i;
    }
    for_each_block(a->f, block)
    {
        for (int i = 0; i < block->code.count; i++) {
            struct machine_insn *insn = &block->code.items[i];
            insn->rd = insn->rd < 0 ? -1 : a->nodes[insn->rd].color;
            insn->rs1 = insn->rs1 < 0 ? -1 : a->nodes[insn->rs1].color;
            insn->rs2 = insn->rs2 < 0 ? -1 : a->nodes[insn->rs2].color;
        }
    }
    a->counts->moves_deleted += delete_own_moves(a->f);
}

void allocate_registers(struct function *f, struct arena *scratch, struct backend_counts *counts)
{
    struct allocator a = {.f = f, .scratch = scratch, .counts = counts};
    for (int round = 0;; round++) {
        program_check(round < 24, "the colouring ends");
        counts->rounds++;
        do {
            build_graph(&a);
        } while (round < 3 && coalesce(&a) > 0);
        find_hints(&a);
        a.stack.count = 0;
        simplify(&a);
        struct bitset spilled = bitset_make(scratch, a.count);
        int failed = assign_colors(&a, &spilled);
        if (failed == 0) {
            break;
        }
        counts->spilled += failed;
        spill_registers(&a, &spilled);
    }
    apply_colors(&a);
}
