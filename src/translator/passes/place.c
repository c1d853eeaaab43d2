/* Decides what of a trace is executed, and in which registers.
 *
 * One walk over the ops.  At each point the registers hold values, and the program's registers *should* hold values.  The
 * one rule: whatever the program's register should hold can be told, as a constant, or from a register that holds the same
 * root.  So the state is exact everywhere, and what only a way out needs is computed there.
 *
 * An op whose result is an older value that can still be told takes no code.  Whoever needs it later in a register gets
 * it then; that costs no more than the op would have.  An op whose value went is executed, as in the program: what it
 * reads can always be told.
 *
 * Before a register is overwritten that alone tells what a register of the program's should hold, that is moved.  Where
 * registers are wanted, the trace takes those that it does not name (`spares`). */
#include "translator/passes/place.h"

#include "target_facts.h"

static uint32_t bit(unsigned reg)
{
    return UINT32_C(1) << reg;
}

static bool holds(const struct place *place, unsigned reg)
{
    return (place->full >> reg & 1) != 0;
}

static void note_home(struct place *place, unsigned reg)
{
    const bool home = holds(place, reg) && value_equals(place->held[reg], place->guest[reg]);

    place->astray = (place->astray & ~bit(reg)) | (home ? 0 : bit(reg));
}

static void set_held(struct place *place, unsigned reg, struct value value)
{
    if (holds(place, reg)) {
        place->holders[place->held[reg].root] &= ~bit(reg);
    }
    place->held[reg] = value;
    if (value.root == ROOT_NONE) {
        place->full &= ~bit(reg);
    } else {
        place->holders[value.root] |= bit(reg);
        place->full |= bit(reg);
    }
    note_home(place, reg);
}

static void set_guest(struct place *place, unsigned reg, struct value value)
{
    place->guests[place->guest[reg].root]--;
    place->guests[value.root]++;
    place->guest[reg] = value;
    note_home(place, reg);
}

/* Items.  Each takes effect at once. */

static struct item *add_item(struct place *place, enum item_kind kind)
{
    struct arranged *to = place->to;

    if (to->item_count == ITEMS_MAX) {
        place->failed = true;
        to->item_count = 0;
    }
    struct item *item = &to->items[to->item_count++];
    *item = (struct item){.kind = (uint8_t)kind,
                          .dst = NO_REGISTER,
                          .src = {NO_REGISTER, NO_REGISTER},
                          .guest = NO_REGISTER,
                          .pass = NO_PASS,
                          .op = (uint16_t)place->now};
    return item;
}

/* `pass`: which has left out what is computed now. */
static void add_move(struct place *place, unsigned dst, unsigned src, int64_t constant,
                     struct value value, unsigned pass)
{
    struct item *item = add_item(place, src == NO_REGISTER ? ITEM_CONSTANT : ITEM_ADD);

    item->dst = (uint8_t)dst;
    item->src[0] = (uint8_t)src;
    item->constant = constant;
    item->value = value;
    item->pass = (uint8_t)pass;
    set_held(place, dst, value);
}

static void add_note(struct place *place, unsigned dst, unsigned guest, struct value value)
{
    struct item *item = add_item(place, ITEM_NOTE);

    item->dst = (uint8_t)dst;
    item->guest = (uint8_t)guest;
    item->value = value;
    if (dst != NO_REGISTER) {
        set_held(place, dst, value);
    }
    if (guest != NO_REGISTER) {
        set_guest(place, guest, value);
    }
}

/* Where values are. */

#define NOTHING ((struct value){.root = ROOT_NONE})

static bool fits(int64_t to, int64_t from)
{
    return target_adds((int64_t)((uint64_t)to - (uint64_t)from));
}

/* The register among `mask` that holds exactly this, `wanted` if that does; NO_REGISTER if none does. */
static unsigned find_exact(const struct place *place, struct value value, unsigned wanted)
{
    unsigned found = NO_REGISTER;

    if (value.root == 0 && value.offset == 0) {
        return 0;
    }
    if (wanted != NO_REGISTER && holds(place, wanted) &&
        value_equals(place->held[wanted], value)) {
        return wanted;
    }
    for (uint32_t mask = place->holders[value.root]; mask != 0; mask &= mask - 1) {
        const unsigned reg = lowest_bit(mask);
        if (place->held[reg].offset == value.offset) {
            found = reg;
        }
    }
    return found;
}

/* A register of `mask` from which the value is an addition away. */
static unsigned find_near(const struct place *place, struct value value, uint32_t mask)
{
    for (mask &= place->holders[value.root]; mask != 0; mask &= mask - 1) {
        const unsigned reg = lowest_bit(mask);
        if (fits(value.offset, place->held[reg].offset)) {
            return reg;
        }
    }
    return NO_REGISTER;
}

static bool can_tell(const struct place *place, struct value value)
{
    return value.root == 0 || find_near(place, value, ~UINT32_C(0)) != NO_REGISTER;
}

/* One of the program's registers, but for `rd`, that could not be told any more if `reg` held `next`; or NO_REGISTER. */
static unsigned find_needy(const struct place *place, unsigned reg, unsigned rd, struct value next)
{
    const uint16_t root = place->held[reg].root;

    if (!holds(place, reg) || root == 0 || place->guests[root] == 0) {
        return NO_REGISTER;
    }
    unsigned left = place->guests[root];
    if (left == 1 && rd != NO_REGISTER && place->guest[rd].root == root) {
        return NO_REGISTER;
    }
    for (unsigned guest = 1; left != 0; guest++) {
        if (place->guest[guest].root != root) {
            continue;
        }
        left--;
        if (guest == rd || (next.root == root && fits(place->guest[guest].offset, next.offset)) ||
            find_near(place, place->guest[guest], ~bit(reg)) != NO_REGISTER) {
            continue;
        }
        return guest;
    }
    return NO_REGISTER;
}

/* Somebody may still want to have what it holds, and nobody else would have it if it held `next`. */
static bool is_wanted(const struct place *place, unsigned reg, struct value next)
{
    const uint16_t root = place->held[reg].root;

    return holds(place, reg) && root != 0 && root != next.root && place->ops->last_use[root] > place->now &&
           place->holders[root] == bit(reg);
}

/* A register that may be overwritten, when one of the program's, `rd`, is: one that nobody wants, or a spare one; if it must
 * be, one that is wanted. */
static unsigned find_free(struct place *place, bool must, unsigned rd)
{
    uint32_t mask = place->usable & ~place->reserved & ~TARGET_NEVER_SPARE;
    unsigned wanted = NO_REGISTER;

    if (rd == NO_REGISTER) { /* the op that is placed now reads its operands later */
        mask &= ~place->pinned;
    }

    for (; mask != 0; mask &= mask - 1) {
        const unsigned reg = lowest_bit(mask);
        if (find_needy(place, reg, rd, NOTHING) != NO_REGISTER) {
            continue;
        }
        if (!is_wanted(place, reg, NOTHING)) {
            return reg;
        }
        wanted = reg;
    }
    if (place->left == 0) {
        return must ? wanted : NO_REGISTER;
    }
    const unsigned spare = lowest_bit(place->left);
    place->left &= ~bit(spare);
    place->usable |= bit(spare);
    place->to->spares |= bit(spare);
    add_note(place, spare, NO_REGISTER, NOTHING);
    return spare;
}

/* What `reg` holds goes elsewhere, as far as one of the program's registers but `rd` depends on it: to that one, which may
 * be in the same position, or anywhere.  A register is visited once on the way. */
static void evacuate(struct place *place, unsigned reg, unsigned rd, struct value next)
{
    const uint32_t pinned = place->pinned;
    unsigned needy;

    place->pinned |= bit(reg);
    while (!place->stuck && (needy = find_needy(place, reg, rd, next)) != NO_REGISTER) {
        const struct value value = place->guest[needy];
        unsigned to = find_free(place, false, NO_REGISTER);
        if (to == NO_REGISTER && (place->pinned >> needy & 1) == 0) {
            evacuate(place, needy, needy, value);
            to = needy;
        }
        if (to == NO_REGISTER) {
            to = find_free(place, true, NO_REGISTER);
        }
        if (to == NO_REGISTER || place->stuck) {
            place->stuck = true;
            break;
        }
        add_move(place, to, reg,
                 (int64_t)((uint64_t)value.offset - (uint64_t)place->held[reg].offset), value,
                 place->left_by[needy]);
    }
    place->pinned = pinned;
}

/* Where an op's result goes. */
static unsigned choose_destination(struct place *place, unsigned rd, struct value out)
{
    const bool needy = find_needy(place, rd, rd, out) != NO_REGISTER;

    if (needy || is_wanted(place, rd, out)) {
        const unsigned reg = find_free(place, needy, rd);
        if (reg != NO_REGISTER) {
            return reg;
        }
    }
    if (needy) {
        evacuate(place, rd, rd, out);
    }
    return rd;
}

/* Before the loop: a register that holds the same in each turn; NO_REGISTER if there is none left. */
static struct item *add_before(struct place *place, enum item_kind kind)
{
    struct arranged *to = place->to;

    if (!place->ops->loops || !pass_is_on(place->ops, PASS_INVARIANT) || place->left == 0 ||
        to->before_count == BEFORE_MAX) {
        return NULL;
    }
    const unsigned spare = lowest_bit(place->left);
    struct item *item = &to->before[to->before_count++];
    place->left &= ~bit(spare);
    place->reserved |= bit(spare);
    to->spares |= bit(spare);
    *item = (struct item){.kind = (uint8_t)kind,
                          .dst = (uint8_t)spare,
                          .src = {NO_REGISTER, NO_REGISTER},
                          .guest = NO_REGISTER,
                          .op = (uint16_t)place->now};
    return item;
}

/* A constant that the loop needs in a register.  It is there from the beginning. */
static unsigned hoist_constant(struct place *place, struct value value)
{
    struct item *item = add_before(place, ITEM_CONSTANT);

    if (item == NULL) {
        return NO_REGISTER;
    }
    item->constant = value.offset;
    item->value = value;
    add_note(place, item->dst, NO_REGISTER, value);
    return item->dst;
}

/* Puts a value, which can be told, into a register: the one of `guest`, whose it is, if that is free. */
static unsigned materialize(struct place *place, struct value value, unsigned guest)
{
    const unsigned near = find_near(place, value, ~UINT32_C(0));
    unsigned reg = guest;

    if (near == NO_REGISTER && value.root != 0) {
        place->failed = true;
        return 0;
    }
    if (value.root == 0) {
        const unsigned hoisted = hoist_constant(place, value);
        if (hoisted != NO_REGISTER) {
            return hoisted;
        }
    }
    const bool needy = (place->pinned >> reg & 1) != 0 || (place->usable >> reg & 1) == 0 ||
                       find_needy(place, reg, NO_REGISTER, value) != NO_REGISTER;
    if (needy || is_wanted(place, reg, value)) {
        const unsigned other = find_free(place, needy, NO_REGISTER);
        reg = other != NO_REGISTER ? other : reg;
        if (other == NO_REGISTER && needy) {
            if ((place->pinned >> reg & 1) != 0 || (place->usable >> reg & 1) == 0) {
                place->stuck = true;
                return 0;
            }
            evacuate(place, reg, NO_REGISTER, value);
            return place->stuck ? 0 : materialize(place, value, guest);
        }
    }
    if (near != NO_REGISTER) {
        add_move(place, reg, near,
                 (int64_t)((uint64_t)value.offset - (uint64_t)place->held[near].offset), value,
                 place->left_by[guest]);
    } else {
        add_move(place, reg, NO_REGISTER, value.offset, value, place->left_by[guest]);
    }
    return reg;
}

static unsigned place_operand(struct place *place, struct value value, unsigned guest)
{
    unsigned reg = find_exact(place, value, guest);

    if (reg == NO_REGISTER) {
        reg = materialize(place, value, guest);
    }
    place->pinned |= bit(reg);
    return reg;
}

/* The register to which an access to memory adds *constant. */
static unsigned place_address(struct place *place, const struct op *op, int64_t *constant)
{
    const struct value base = op->in[0], address = value_add(base, op->constant);
    unsigned reg = find_exact(place, base, op->rs[0]);

    *constant = op->constant;
    if (reg == NO_REGISTER) {
        reg = find_near(place, address, ~UINT32_C(0));
        if (reg != NO_REGISTER) {
            *constant = (int64_t)((uint64_t)address.offset - (uint64_t)place->held[reg].offset);
        }
    }
    if (reg == NO_REGISTER && base.root == 0) {
        const struct value upper = {.offset = target_upper_part(address.offset)};
        *constant = (int64_t)((uint64_t)address.offset - (uint64_t)upper.offset);
        reg = materialize(place, upper, op->rs[0]);
    }
    if (reg == NO_REGISTER) {
        reg = materialize(place, base, op->rs[0]);
    }
    place->pinned |= bit(reg);
    return reg;
}

/* Ways home. */

/* Puts moves into an order in which each register is read before it is written.  Returns how many they are then. */
static unsigned order_moves(struct move *pending, unsigned count, struct move *moves)
{
    uint8_t readers[OPS_REGISTERS] = {0}; /* pending moves that read the register, but for the one that writes it */
    unsigned done = 0, left = count, at = 0, waited = 0;

    for (unsigned i = 0; i < count; i++) {
        if (pending[i].src != NO_REGISTER && pending[i].src != pending[i].dst) {
            readers[pending[i].src]++;
        }
    }
    while (left != 0) {
        struct move *move = &pending[at];
        if (waited == left) { /* they read each other */
            moves[done++] = (struct move){.dst = PLACE_SCRATCH, .src = move->dst};
            for (unsigned i = 0; i < left; i++) {
                pending[i].src = pending[i].src == move->dst ? (uint8_t)PLACE_SCRATCH : pending[i].src;
            }
            readers[move->dst] = 0;
        }
        if (readers[move->dst] != 0) {
            waited++;
            at = at + 1 < left ? at + 1 : 0;
            continue;
        }
        if (move->src != NO_REGISTER && move->src != move->dst) {
            readers[move->src]--;
        }
        moves[done++] = *move;
        *move = pending[--left];
        at = at < left ? at : 0;
        waited = 0;
    }
    return done;
}

/* What must be done so that each register holds what it should: an order in which nothing is overwritten too early.
 * Returns how many moves. */
static unsigned list_moves(struct place *place, struct move *moves)
{
    struct move pending[OPS_REGISTERS];
    unsigned count = 0;

    if ((place->astray & place->ops->named) == 0) {
        return 0;
    }

    for (uint32_t mask = place->astray & place->ops->named; mask != 0; mask &= mask - 1) {
        const unsigned reg = lowest_bit(mask);
        const struct value value = place->guest[reg];
        unsigned from = find_exact(place, value, reg);
        if (from == NO_REGISTER && (value.root != 0 || !target_adds(value.offset))) {
            from = find_near(place, value, ~UINT32_C(0));
            place->failed |= from == NO_REGISTER && value.root != 0;
        }
        if (from == 0) {
            from = NO_REGISTER;
        }
        pending[count++] = (struct move){
            .dst = (uint8_t)reg,
            .src = (uint8_t)from,
            .constant = from == NO_REGISTER || place->failed
                            ? value.offset
                            : (int64_t)((uint64_t)value.offset - (uint64_t)place->held[from].offset)};
    }
    return order_moves(pending, count, moves);
}

#define MOVES_AT_ONCE (2 * OPS_REGISTERS)

/* Of a way out of the trace. */
static void place_way_out(struct place *place, struct item *item)
{
    struct arranged *to = place->to;

    if (to->move_count + MOVES_AT_ONCE > MOVES_MAX) {
        place->failed = true;
        to->move_count = 0;
    }
    item->first_move = (uint16_t)to->move_count;
    item->move_count = (uint8_t)list_moves(place, &to->moves[to->move_count]);
    to->move_count += item->move_count;
}

/* Each register becomes what it should be. */
static void go_home(struct place *place)
{
    struct move moves[MOVES_AT_ONCE];
    const unsigned count = list_moves(place, moves);
    bool scratch = false;

    for (unsigned i = 0; i < count; i++) {
        const struct move *move = &moves[i];
        const struct value value = move->dst != PLACE_SCRATCH ? place->guest[move->dst]
                                                              : place->held[move->src];
        add_move(place, move->dst, move->src, move->constant, value, place->left_by[move->dst]);
        scratch |= move->dst == PLACE_SCRATCH;
    }
    if (scratch) {
        add_note(place, PLACE_SCRATCH, NO_REGISTER, NOTHING);
    }
}

/* Ops. */

static struct item *add_empty(struct place *place, unsigned pass)
{
    struct item *item = add_item(place, ITEM_EMPTY);

    item->pass = (uint8_t)pass;
    place->to->taken_out[pass]++;
    return item;
}

/* The op's result can be told without it. */
static void leave_out(struct place *place, const struct op *op, unsigned pass)
{
    struct item *item = add_empty(place, pass);

    item->guest = op->rd;
    item->value = op->out;
    set_guest(place, op->rd, op->out);
    place->left_by[op->rd] = (uint8_t)pass;
}

static bool is_invariant(const struct place *place, struct value value, unsigned *reg)
{
    if (value.root < OPS_REGISTERS && value.offset == 0 &&
        (place->written >> value.root & 1) == 0) {
        *reg = value.root;
        return (TARGET_OWN_REGISTERS >> value.root & 1) == 0;
    }
    for (uint32_t mask = place->holders[value.root] & place->reserved; mask != 0;
         mask &= mask - 1) {
        *reg = lowest_bit(mask);
        if (place->held[*reg].offset == value.offset) {
            return true;
        }
    }
    return false;
}

/* What it computes is the same in each turn: it is computed before the loop. */
static bool hoist(struct place *place, const struct op *op)
{
    unsigned reg[2] = {NO_REGISTER, NO_REGISTER};

    if (op->kind != OP_COMPUTE || op->rs[0] == NO_REGISTER) {
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (op->rs[i] != NO_REGISTER && !is_invariant(place, op->in[i], &reg[i])) {
            return false;
        }
    }
    struct item *item = add_before(place, ITEM_OP);
    if (item == NULL) {
        return false;
    }
    item->src[0] = (uint8_t)reg[0];
    item->src[1] = (uint8_t)reg[1];
    item->constant = op->constant;
    item->value = op->out;
    add_note(place, item->dst, NO_REGISTER, op->out);
    return true;
}

static void place_result(struct place *place, const struct op *op, struct item *item)
{
    if (op->rd == NO_REGISTER || op->rd == 0) {
        item->dst = op->rd;
        return;
    }
    item->guest = op->rd;
    item->value = op->out;
    set_held(place, item->dst, op->out);
    set_guest(place, op->rd, op->out);
    place->left_by[op->rd] = NO_PASS;
}

/* False if there is no register for an operand or the result. */
static bool try_op(struct place *place, const struct op *op)
{
    const bool accesses = op->kind == OP_LOAD || op->kind == OP_STORE;
    unsigned src[2] = {NO_REGISTER, NO_REGISTER}, dst = NO_REGISTER, pass = NO_PASS;
    int64_t constant = op->constant;

    place->pinned = 0;
    place->stuck = false;
    if (op->kind == OP_TARGET) { /* NO_REGISTER: the target computes the constant each time */
        const struct value wanted = {.offset = op->constant};
        src[1] = find_exact(place, wanted, NO_REGISTER);
        src[1] = src[1] != NO_REGISTER ? src[1] : hoist_constant(place, wanted);
        if (src[1] != NO_REGISTER) {
            place->pinned |= bit(src[1]);
            pass = (place->reserved >> src[1] & 1) != 0 ? PASS_INVARIANT : PASS_VALUES;
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        if (op->rs[i] == NO_REGISTER) {
            continue;
        }
        src[i] = i == 0 && accesses ? place_address(place, op, &constant)
                                    : place_operand(place, op->in[i], op->rs[i]);
    }
    if (op->rd != NO_REGISTER && op->rd != 0) {
        dst = choose_destination(place, op->rd, op->out);
    }
    if (place->stuck) {
        return false;
    }
    struct item *item = add_item(place, ITEM_OP);
    item->src[0] = (uint8_t)src[0];
    item->src[1] = (uint8_t)src[1];
    item->dst = (uint8_t)dst;
    item->constant = constant;
    item->pass = (uint8_t)pass;
    place_result(place, op, item);
    if (op->kind == OP_GUARD || op->kind == OP_TARGET) {
        place_way_out(place, item);
    }
    return true;
}

/* Some instruction of the program's, with other registers perhaps.  Where registers wait for each other, all of them go
 * home first: then each operand is in its own. */
static void place_op(struct place *place, const struct op *op)
{
    if (!try_op(place, op)) {
        go_home(place);
        place->failed |= !try_op(place, op);
    }
}

/* The registers that hold the target, or what is a constant away from it, hold constants.  All do, since the root is held
 * nowhere any more. */
static void note_target(struct place *place, const struct op *op)
{
    const uint16_t root = op->in[0].root;

    if (!guards_tell_value(place->ops, op)) {
        return;
    }
    for (unsigned reg = 1; reg < OPS_REGISTERS; reg++) {
        if (holds(place, reg) && place->held[reg].root == root) {
            add_note(place, reg, NO_REGISTER, guards_value_behind(op, place->held[reg]));
        }
        if (place->guest[reg].root == root) {
            add_note(place, NO_REGISTER, reg, guards_value_behind(op, place->guest[reg]));
        }
    }
}

/* A step that the target writes. */
static void place_step(struct place *place, const struct op *op)
{
    uint16_t root = op->out.root;

    go_home(place);
    add_item(place, ITEM_OP);
    for (unsigned reg = 1; reg < OPS_REGISTERS; reg++) {
        if ((op->constant >> reg & 1) != 0) {
            add_note(place, reg, reg, (struct value){.root = root++});
            place->left_by[reg] = NO_PASS;
        }
    }
}

static void place_one(struct place *place, const struct op *op)
{
    switch (op->kind) {
    case OP_STEP:
        place_step(place, op);
        return;
    case OP_END:
        go_home(place);
        add_item(place, ITEM_OP);
        return;
    case OP_BLOCK:
    case OP_NOTHING:
        add_item(place, op->kind == OP_BLOCK ? ITEM_OP : ITEM_EMPTY);
        return;
    case OP_GUARD:
    case OP_TARGET:
        if ((op->flags & OP_KNOWN) != 0) {
            add_empty(place, op->pass);
            return;
        }
        place_op(place, op);
        if (op->kind == OP_TARGET) {
            note_target(place, op);
        }
        return;
    default:
        break;
    }
    const bool writes = op->rd != NO_REGISTER && op->rd != 0;
    if (writes && op->older && can_tell(place, op->out)) {
        leave_out(place, op, op->pass);
        return;
    }
    if (writes && hoist(place, op)) {
        leave_out(place, op, PASS_INVARIANT);
        return;
    }
    place_op(place, op);
}

static void begin(struct place *place, struct ops *ops, uint32_t spares, struct arranged *to)
{
    place->ops = ops;
    place->to = to;
    place->full = 0;
    place->usable = ops->named & ~UINT32_C(1) & ~TARGET_OWN_REGISTERS;
    place->left = spares & ~ops->named;
    place->reserved = place->written = place->astray = 0;
    place->failed = place->stuck = false;
    to->spares = 0;
    to->item_count = to->move_count = to->before_count = 0;
    for (unsigned i = 0; i < PASS_COUNT; i++) {
        to->taken_out[i] = 0;
    }
    for (unsigned root = 0; root <= ROOT_NONE; root++) {
        place->holders[root] = 0;
        place->guests[root] = 0;
    }
    for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
        const struct value value = {.root = (uint16_t)reg};
        place->held[reg] = place->guest[reg] = value;
        place->guests[reg]++;
        place->left_by[reg] = NO_PASS;
        if (reg != 0 && (TARGET_OWN_REGISTERS >> reg & 1) == 0) {
            place->holders[reg] = bit(reg);
            place->full |= bit(reg);
        }
    }
    for (unsigned i = 0; i < ops->count; i++) {
        const struct op *op = &ops->list[i];
        if (op->kind == OP_STEP) {
            place->written |= (uint32_t)op->constant;
        } else if (op->rd != NO_REGISTER) {
            place->written |= bit(op->rd);
        }
    }
}

/* Of each turn. */
static void count_executed(struct place *place)
{
    struct arranged *to = place->to;
    const struct op *const list = place->ops->list;

    to->plain = to->executed = 0;
    for (unsigned i = 0; i < place->ops->count; i++) {
        to->plain += list[i].kind != OP_BLOCK && list[i].kind != OP_NOTHING;
    }
    for (unsigned i = 0; i < to->item_count; i++) {
        const struct item *item = &to->items[i];
        to->executed += item->kind == ITEM_ADD || item->kind == ITEM_CONSTANT ||
                        (item->kind == ITEM_OP && list[item->op].kind != OP_BLOCK);
    }
}

bool place_run(struct place *place, struct ops *ops, uint32_t spares, struct arranged *to)
{
    begin(place, ops, spares, to);
    for (unsigned i = 0; i < ops->count && !place->failed; i++) {
        place->now = i;
        place_one(place, &ops->list[i]);
    }
    count_executed(place);
    return !place->failed;
}
