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

#include "translator/passes/prefetch.h"
#include "translator/passes/registers.h"
#include "translator/passes/ways.h"

#include "target_facts.h"

static struct item *add_empty(struct place *place, unsigned pass)
{
    struct item *item = registers_add_item(place, ITEM_EMPTY);

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
    registers_set_guest(place, op->rd, op->out);
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

    if (op->kind != OP_COMPUTE || op->form.rs[0] == NO_REGISTER) {
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (op->form.rs[i] != NO_REGISTER && !is_invariant(place, op->in[i], &reg[i])) {
            return false;
        }
    }
    struct item *item = registers_take_before(place, ITEM_OP);
    if (item == NULL) {
        return false;
    }
    item->src[0] = (uint8_t)reg[0];
    item->src[1] = (uint8_t)reg[1];
    item->constant = op->constant;
    item->value = op->out;
    registers_add_note(place, item->dst, NO_REGISTER, op->out);
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
    registers_set_held(place, item->dst, op->out);
    registers_set_guest(place, op->rd, op->out);
    place->left_by[op->rd] = NO_PASS;
}

/* A constant of which the op's form has no need: the program's would have made it here. */
static void take_over_constants(struct place *place, const struct op *op)
{
    if (op->form.word == op->word) {
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        const unsigned reg = op->rs[i];
        if (reg == op->form.rs[0] || reg == op->form.rs[1] || place->left_by[reg] == NO_PASS ||
            place->left_by[reg] == PASS_STRENGTH ||
            registers_find_exact(place, place->guest[reg], reg) != NO_REGISTER) {
            continue;
        }
        struct item *item = registers_add_item(place, ITEM_NOTE);
        item->pass = PASS_STRENGTH;
        item->before = place->left_by[reg];
        item->constant = place->guest[reg].offset;
        place->left_by[reg] = PASS_STRENGTH;
    }
}

/* False if there is no register for an operand or the result. */
static bool try_op(struct place *place, const struct op *op)
{
    const struct ops *const ops = place->ops;
    const bool accesses = op->kind == OP_LOAD || op->kind == OP_STORE;
    unsigned src[2] = {NO_REGISTER, NO_REGISTER}, dst = NO_REGISTER, pass = NO_PASS;
    int64_t constant = op->constant;

    place->pinned = 0;
    place->stuck = false;
    if (op->kind == OP_TARGET) { /* NO_REGISTER: the target computes the constant each time */
        const struct value wanted = {.offset = op->constant};
        src[1] = registers_find_exact(place, wanted, NO_REGISTER);
        src[1] = src[1] != NO_REGISTER ? src[1] : registers_hoist_constant(place, wanted);
        if (src[1] != NO_REGISTER) {
            place->pinned |= register_bit(src[1]);
            pass = (ops->assumed >> src[1] & 1) != 0      ? PASS_SPECIALIZE
                   : (place->reserved >> src[1] & 1) != 0 ? PASS_INVARIANT
                                                          : PASS_VALUES;
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        if (op->form.rs[i] == NO_REGISTER) {
            continue;
        }
        src[i] = i == 0 && accesses ? registers_get_address(place, op, &constant)
                                    : registers_get(place, op->in[i], op->form.rs[i]);
    }
    if (op->rd != NO_REGISTER && op->rd != 0) {
        dst = registers_choose(place, op->rd, op->out);
    }
    if (place->stuck) {
        return false;
    }
    struct item *item = registers_add_item(place, ITEM_OP);
    item->src[0] = (uint8_t)src[0];
    item->src[1] = (uint8_t)src[1];
    item->dst = (uint8_t)dst;
    item->constant = constant;
    item->pass = (uint8_t)pass;
    place_result(place, op, item);
    if (op->kind == OP_GUARD || op->kind == OP_TARGET) {
        ways_place_out(place, item);
    }
    return true;
}

/* Some instruction of the program's, with other registers perhaps.  Where registers wait for each other, all of them go
 * home first: then each operand is in its own. */
static void place_op(struct place *place, const struct op *op)
{
    take_over_constants(place, op);
    if (!try_op(place, op)) {
        ways_go_home(place);
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
        if (registers_holds(place, reg) && place->held[reg].root == root) {
            registers_add_note(place, reg, NO_REGISTER, guards_value_behind(op, place->held[reg]));
        }
        if (place->guest[reg].root == root) {
            registers_add_note(place, NO_REGISTER, reg, guards_value_behind(op, place->guest[reg]));
        }
    }
}

/* A step that the target writes. */
static void place_step(struct place *place, const struct op *op)
{
    uint16_t root = op->out.root;

    ways_go_home(place);
    registers_add_item(place, ITEM_OP);
    for (unsigned reg = 1; reg < OPS_REGISTERS; reg++) {
        if ((op->constant >> reg & 1) != 0) {
            registers_add_note(place, reg, reg, (struct value){.root = root++});
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
        ways_go_home(place);
        registers_add_item(place, ITEM_OP);
        return;
    case OP_BLOCK:
    case OP_NOTHING:
        registers_add_item(place, op->kind == OP_BLOCK ? ITEM_OP : ITEM_EMPTY);
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
    if (writes && op->older && registers_can_tell(place, op->out)) {
        leave_out(place, op, op->pass);
        return;
    }
    if (writes && hoist(place, op)) {
        leave_out(place, op, PASS_INVARIANT);
        return;
    }
    if (op->kind == OP_LOAD) {
        prefetch_place(place);
    }
    place_op(place, op);
}

/* The registers that are compared where the trace is entered.  Those that it does not write hold their constants all along:
 * nothing else may come there. */
static void take_assumed(struct place *place)
{
    const struct ops *const ops = place->ops;

    place->now = 0;
    for (uint32_t mask = ops->assumed; mask != 0; mask &= mask - 1) {
        const unsigned reg = lowest_bit(mask);
        registers_add_note(place, reg, reg, (struct value){.offset = ops->assumption[reg]});
    }
    place->reserved |= ops->assumed & ~place->written;
    place->to->compared = ops->assumed;
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
    place->next_ahead = 0;
    to->spares = 0;
    to->item_count = to->move_count = to->before_count = 0;
    for (unsigned i = 0; i < PASS_COUNT; i++) {
        to->taken_out[i] = 0;
    }
    for (unsigned root = 0; root < ops->roots; root++) {
        place->holders[root] = 0;
        place->guests[root] = 0;
    }
    place->holders[ROOT_NONE] = 0;
    place->guests[ROOT_NONE] = 0;
    for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
        const struct value value = {.root = (uint16_t)reg};
        place->held[reg] = place->guest[reg] = value;
        place->guests[reg]++;
        place->left_by[reg] = NO_PASS;
        if (reg != 0 && (TARGET_OWN_REGISTERS >> reg & 1) == 0) {
            place->holders[reg] = register_bit(reg);
            place->full |= register_bit(reg);
        }
    }
    for (unsigned i = 0; i < ops->count; i++) {
        const struct op *op = &ops->list[i];
        if (op->kind == OP_STEP) {
            place->written |= (uint32_t)op->constant;
        } else if (op->rd != NO_REGISTER) {
            place->written |= register_bit(op->rd);
        }
    }
    take_assumed(place);
}

/* Of each turn. */
static void count_executed(struct place *place)
{
    struct arranged *to = place->to;
    const struct op *const list = place->ops->list;

    unsigned plain_targets = 0, targets = 0;

    to->plain = to->executed = to->touches = 0;
    for (unsigned i = 0; i < place->ops->count; i++) {
        to->plain += list[i].kind != OP_BLOCK && list[i].kind != OP_NOTHING;
        plain_targets += list[i].kind == OP_TARGET;
    }
    for (unsigned i = 0; i < to->item_count; i++) {
        const struct item *item = &to->items[i];
        to->executed += item->kind == ITEM_ADD || item->kind == ITEM_CONSTANT ||
                        (item->kind == ITEM_OP && list[item->op].kind != OP_BLOCK);
        to->touches += item->kind == ITEM_AHEAD && item->step == AHEAD_TOUCH;
        targets += item->kind == ITEM_OP && list[item->op].kind == OP_TARGET &&
                   item->src[1] == NO_REGISTER;
    }
    to->plain_length = to->plain + plain_targets;
    to->length = to->executed + targets;
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
