/* The pass `prefetch`: what a loop will load is fetched ahead.
 *
 * Of each value it can often be told by how much it grows from one turn of the loop to the next: a register does whose value at
 * the end of the trace is that at its beginning plus a constant, and so does what is computed from such values, and what is
 * loaded from a place that the loop counts in.  A register may also grow by what another has.  A load at an address that grows is
 * *strided*: what it loads some turns later is
 * touched now.  A load whose address is computed from what a strided load gives is *indirect*: the strided one is done ahead, by
 * a load that the program does not have, the address is computed from that as the program does, and touched.
 *
 * Nothing here need be right: a touch changes nothing that the program could see, and a load that is added yields 0 where there
 * is no memory.  So growth is tried with small numbers, and what nobody else changes is taken to stay.
 *
 * Needs values (number.c).  Keeps everything; the trace becomes longer. */
#include "translator/passes/prefetch.h"

/* How far growth is looked for from op to op. */
#define DEPTH 6
/* What one touch brings, of which one is enough; and where a loop goes on so slowly that what is a little further will be
 * touched, too, in time. */
#define LINE_BYTES 64
#define NEAR_BYTES 1024

struct search {
    const struct ops *ops;
    uint16_t
        producer[ROOTS_MAX]; /* the number of the op whose result the root is, plus one; 0: none */
};

static void find_producers(struct search *search)
{
    const struct ops *ops = search->ops;

    for (unsigned root = 0; root < ops->roots; root++) {
        search->producer[root] = 0;
    }
    for (unsigned i = 0; i < ops->count; i++) {
        const struct op *op = &ops->list[i];
        if ((op->kind == OP_COMPUTE || op->kind == OP_LOAD) && op->rd != NO_REGISTER &&
            op->rd != 0 && !op->older) {
            search->producer[op->out.root] = (uint16_t)(i + 1);
        }
    }
}

static const struct op *producer(const struct search *search, struct value value)
{
    const unsigned number = search->producer[value.root];

    return number != 0 ? &search->ops->list[number - 1] : NULL;
}

static const int64_t probes[][2] = {{0, 0}, {1000, 24}, {77777, 4096}, {24, 500000}};

/* How much the result of the op grows where its operands do, if that is the same whatever they are: as far as small numbers
 * show. */
static bool grows(const struct op *op, const int64_t growth[2], int64_t *more)
{
    for (unsigned i = 0; i < sizeof probes / sizeof probes[0]; i++) {
        const uint64_t a = (uint64_t)probes[i][0], b = (uint64_t)probes[i][1];
        const bool second = op->form.rs[1] != NO_REGISTER;
        uint64_t now, then;
        if (!target_fold(op->form.word, a, second ? b : 0, &now) ||
            !target_fold(op->form.word, a + (uint64_t)growth[0],
                         second ? b + (uint64_t)growth[1] : 0, &then) ||
            (i != 0 && (int64_t)(then - now) != *more)) {
            return false;
        }
        *more = (int64_t)(then - now);
    }
    return true;
}

/* How much more than the root `end` is, which replaces it in the next turn. */
static bool find_step(const struct search *search, uint16_t root, struct value end, int64_t *step)
{
    const struct op *op = producer(search, end);

    if (end.root == root) {
        *step = end.offset;
        return true;
    }
    if (op == NULL || op->kind != OP_COMPUTE || op->form.rs[0] == NO_REGISTER ||
        op->form.rs[1] != NO_REGISTER || op->in[0].root != root) {
        return false;
    }
    for (unsigned i = 0; i < sizeof probes / sizeof probes[0]; i++) {
        const uint64_t from = (uint64_t)probes[i][0];
        uint64_t to;
        if (!target_fold(op->form.word, from + (uint64_t)op->in[0].offset, 0, &to)) {
            return false;
        }
        const int64_t more = (int64_t)(to - from + (uint64_t)end.offset);
        if (i != 0 && more != *step) {
            return false;
        }
        *step = more;
    }
    return true;
}

static bool find_growth(const struct search *search, struct value value, unsigned depth,
                        int64_t *growth);

/* What was loaded from a place that stays: what the place holds at the end. */
static bool find_loaded(const struct search *search, const struct op *load, unsigned depth,
                        int64_t *growth)
{
    const struct ops *ops = search->ops;
    const struct value address = value_add(load->in[0], load->constant);
    int64_t moves;

    if (!find_growth(search, load->in[0], depth, &moves) || moves != 0) {
        return false;
    }
    for (unsigned i = 0; i < ops->fact_count; i++) {
        const struct memory_fact *fact = &ops->facts[i];
        if (fact->bytes == load->bytes && value_equals(fact->address, address)) {
            return find_step(search, load->out.root, fact->value, growth);
        }
    }
    return false;
}

/* By how much the value grows from one turn to the next; false if that is not known. */
static bool find_growth(const struct search *search, struct value value, unsigned depth,
                        int64_t *growth)
{
    const struct op *op = producer(search, value);

    *growth = 0;
    if (value.root == 0) {
        return true;
    }
    if (value.root < OPS_REGISTERS) {
        return find_step(search, value.root, search->ops->guest[value.root], growth);
    }
    if (op == NULL || depth == 0) {
        return false;
    }
    if (op->kind == OP_LOAD) {
        return find_loaded(search, op, depth - 1, growth);
    }
    int64_t of[2] = {0, 0};
    for (unsigned i = 0; i < 2; i++) {
        if (op->form.rs[i] != NO_REGISTER && !find_growth(search, op->in[i], depth - 1, &of[i])) {
            return false;
        }
    }
    return (of[0] == 0 && of[1] == 0) || grows(op, of, growth);
}

/* Back over additions of one value that stays, as far as a register, `root` if that is not 0; how many.  *at is where it is
 * then. */
static unsigned go_back(const struct search *search, uint16_t root, struct value *at,
                        struct value *step, unsigned times)
{
    while (root != 0 ? at->root != root : at->root >= OPS_REGISTERS) {
        const struct op *op = producer(search, *at);
        int64_t growth;
        if (op == NULL || op->kind != OP_COMPUTE || (op->form.flags & OP_ADDS) == 0 ||
            at->offset != 0 || !find_growth(search, op->in[1], 1, &growth) || growth != 0 ||
            (times != 0 && !value_equals(op->in[1], *step))) {
            return 0;
        }
        *step = op->in[1];
        *at = op->in[0];
        times++;
    }
    return times;
}

/* The value grows with a register that becomes itself plus a value which stays, one time or several; how often, and what. */
static unsigned find_value_step(const struct search *search, struct value value, struct value *step)
{
    struct value at = {.root = value.root};
    const unsigned before = go_back(search, 0, &at, step, 0);
    const uint16_t root = at.root;

    if (root == 0 || root >= OPS_REGISTERS || at.offset != 0) {
        return 0;
    }
    at = search->ops->guest[root];
    const unsigned all = go_back(search, root, &at, step, before);
    return at.offset == 0 && all > before ? all - before : 0;
}

/* Where a load will be so many turns later, if its address grows; by how much, if that is a constant. */
static bool find_address(const struct search *search, const struct op *load, unsigned turns,
                         struct ahead *ahead, int64_t *growth)
{
    ahead->address = value_add(load->in[0], load->constant);
    if (find_growth(search, load->in[0], DEPTH, growth)) {
        ahead->address = value_add(ahead->address, (int64_t)((uint64_t)*growth * turns));
        return *growth != 0;
    }
    *growth = 0;
    const unsigned times = find_value_step(search, load->in[0], &ahead->step);
    ahead->moves_by_value = times != 0;
    for (ahead->shift = 0; (2u << ahead->shift) <= turns * times; ahead->shift++) {
    }
    return times != 0;
}

static bool follow(const struct search *search, struct value value, unsigned chain_count,
                   struct ahead *ahead, unsigned turns);

/* `value` is what the chain goes on with, and the op gives it. */
static bool follow_op(const struct search *search, const struct op *op, unsigned chain_count,
                      struct ahead *ahead, unsigned turns)
{
    int64_t growth[2] = {0, 0};
    bool known[2] = {true, true};

    if (op->kind == OP_LOAD) {
        if ((op->flags & OP_FLOATS) != 0 || !find_address(search, op, turns, ahead, &growth[0])) {
            return false;
        }
        ahead->load = (uint16_t)(op - search->ops->list);
        ahead->chain_count = chain_count;
        return true;
    }
    if (chain_count == AHEAD_CHAIN) {
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        known[i] = op->form.rs[i] == NO_REGISTER ||
                   (find_growth(search, op->in[i], DEPTH, &growth[i]) && growth[i] == 0);
    }
    if (known[0] == known[1]) {
        return false;
    }
    const unsigned operand = known[0];
    ahead->chain[chain_count].op = (uint16_t)(op - search->ops->list);
    ahead->chain[chain_count].operand = (uint8_t)operand;
    ahead->chain[chain_count].add = op->in[operand].offset;
    return follow(search, op->in[operand], chain_count + 1, ahead, turns);
}

/* The chain is found from its end. */
static bool follow(const struct search *search, struct value value, unsigned chain_count,
                   struct ahead *ahead, unsigned turns)
{
    const struct op *op = producer(search, value);

    return op != NULL && follow_op(search, op, chain_count, ahead, turns);
}

static void turn_around(struct ahead *ahead)
{
    for (unsigned i = 0; i < ahead->chain_count / 2; i++) {
        const unsigned other = ahead->chain_count - 1 - i;
        const __typeof__(ahead->chain[0]) kept = ahead->chain[i];
        ahead->chain[i] = ahead->chain[other];
        ahead->chain[other] = kept;
    }
}

static bool is_near(int64_t a, int64_t b, uint64_t reach)
{
    const uint64_t away = (uint64_t)a - (uint64_t)b;

    return away < reach || -away < reach;
}

/* Whether the loop touches each line that it passes. */
static bool is_slow(const struct ahead *ahead, int64_t growth)
{
    return !ahead->moves_by_value && growth >= -LINE_BYTES && growth <= LINE_BYTES;
}

static bool is_same_way(const struct ahead *a, const struct ahead *b)
{
    if (a->indirect != b->indirect || a->address.root != b->address.root ||
        a->moves_by_value != b->moves_by_value) {
        return false;
    }
    if (!a->indirect) {
        return true;
    }
    if (a->address.offset != b->address.offset || a->chain_count != b->chain_count) {
        return false;
    }
    for (unsigned i = 0; i < a->chain_count; i++) {
        if (a->chain[i].op != b->chain[i].op) {
            return false;
        }
    }
    return true;
}

/* Whether a touch is there already that brings the line, now or some turns later: of what is near each other the loop touches
 * what comes first. */
static bool join(struct ops *ops, const struct ahead *ahead, int64_t growth)
{
    for (unsigned i = 0; i < ops->ahead_count; i++) {
        struct ahead *other = &ops->ahead[i];
        if (!is_same_way(other, ahead)) {
            continue;
        }
        if (ahead->indirect) {
            if (is_near(ahead->add, other->add, LINE_BYTES)) {
                return true;
            }
        } else if (is_near(ahead->address.offset, other->address.offset,
                           is_slow(ahead, growth) ? NEAR_BYTES : LINE_BYTES)) {
            const bool first = growth > 0 ? ahead->address.offset > other->address.offset
                                          : ahead->address.offset < other->address.offset;
            other->address.offset =
                first && is_slow(ahead, growth) ? ahead->address.offset : other->address.offset;
            return true;
        }
    }
    return false;
}

static void add(struct ops *ops, const struct ahead *ahead, int64_t growth)
{
    if (ops->ahead_count < AHEAD_MOST && !join(ops, ahead, growth)) {
        ops->ahead[ops->ahead_count++] = *ahead;
    }
}

/* By how many turns the load is wanted ahead; 0: it is not. */
static unsigned wanted_turns(const struct prefetch_wish *wishes, unsigned count, unsigned others,
                             uint64_t pc)
{
    for (unsigned i = 0; i < count; i++) {
        if (wishes[i].pc == pc) {
            return wishes[i].turns;
        }
    }
    return others;
}

/* Lines that are computed with must be there earlier than those which are only touched. */
static unsigned turns_of(const struct ops *ops, unsigned turns, const struct op *load)
{
    for (unsigned i = 0; i < ops->ahead_count; i++) {
        const struct op *first = &ops->list[ops->ahead[i].load];
        if (ops->ahead[i].indirect && first->in[0].root == load->in[0].root &&
            is_near(first->in[0].offset + first->constant, load->in[0].offset + load->constant,
                    LINE_BYTES)) {
            return 2 * turns;
        }
    }
    return turns;
}

static void find(const struct search *search, struct ops *ops, unsigned number, unsigned turns,
                 bool indirect)
{
    const struct op *op = &ops->list[number];
    struct ahead ahead = {.at = (uint16_t)number, .indirect = indirect};
    int64_t growth = 0;

    if (!indirect) {
        if (find_address(search, op, turns_of(ops, turns, op), &ahead, &growth)) {
            add(ops, &ahead, growth);
        }
        return;
    }
    struct value step;
    if (find_growth(search, op->in[0], DEPTH, &growth) ||
        find_value_step(search, op->in[0], &step) != 0) {
        return;
    }
    ahead.add = (int64_t)((uint64_t)op->in[0].offset + (uint64_t)op->constant);
    if (follow(search, op->in[0], 0, &ahead, turns)) {
        turn_around(&ahead);
        add(ops, &ahead, 0);
    }
}

static void sort(struct ops *ops)
{
    for (unsigned i = 1; i < ops->ahead_count; i++) {
        const struct ahead ahead = ops->ahead[i];
        unsigned to = i;
        for (; to != 0 && ops->ahead[to - 1].at > ahead.at; to--) {
            ops->ahead[to] = ops->ahead[to - 1];
        }
        ops->ahead[to] = ahead;
    }
}

void prefetch_find(struct ops *ops, const struct prefetch_wish *wishes, unsigned count,
                   unsigned others)
{
    struct search search = {.ops = ops};

    ops->ahead_count = 0;
    if (!pass_is_on(ops, PASS_PREFETCH) || !ops->loops) {
        return;
    }
    find_producers(&search);
    /* First those that are indirect, if they may be at all. */
    for (unsigned kind = ops->adds_loads ? 0 : 1; kind < 2; kind++) {
        for (unsigned i = 0; i < ops->count; i++) {
            const struct op *op = &ops->list[i];
            const unsigned turns = wanted_turns(wishes, count, others, op->pc);
            if (op->kind == OP_LOAD && !op->older && turns != 0) {
                find(&search, ops, i, turns, kind == 0);
            }
        }
    }
    sort(ops);
}
