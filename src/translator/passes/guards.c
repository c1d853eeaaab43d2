/* The pass `guards`: what a guard has found to hold is known behind it, and not compared again.
 *
 * Needs values.  Keeps every way that the program may take: a guard goes only if it certainly holds. */
#include "translator/passes/ops.h"

static bool held_before(const struct ops *ops, const struct op *op)
{
    const unsigned count = ops->guard_count < GUARDS_KEPT ? ops->guard_count : GUARDS_KEPT;

    for (unsigned i = 0; i < count; i++) {
        const struct op *before = &ops->list[ops->guards[i]];
        if (before->word == op->word && value_equals(before->in[0], op->in[0]) &&
            value_equals(before->in[1], op->in[1])) {
            return true;
        }
    }
    return false;
}

bool guards_know(struct ops *ops, const struct op *op)
{
    if (!pass_is_on(ops, PASS_GUARDS)) {
        return false;
    }
    if (op->kind == OP_TARGET) {
        return value_is_constant(op->in[0]) && op->in[0].offset == op->constant;
    }
    if (value_is_constant(op->in[0]) && value_is_constant(op->in[1])) {
        return !target_takes(op->word, (uint64_t)op->in[0].offset, (uint64_t)op->in[1].offset);
    }
    return held_before(ops, op);
}

bool guards_tell_value(const struct ops *ops, const struct op *op)
{
    return pass_is_on(ops, PASS_GUARDS) && ops->alone && op->kind == OP_TARGET &&
           !value_is_constant(op->in[0]);
}

struct value guards_value_behind(const struct op *op, struct value value)
{
    const uint64_t away = (uint64_t)value.offset - (uint64_t)op->in[0].offset;

    return (struct value){.offset = (int64_t)((uint64_t)op->constant + away)};
}

/* The registers that hold a target, or what is a constant away from it, are constants from now on; but a load from there
 * would no longer wait for the load of the target, which others might see. */
void guards_note(struct ops *ops, const struct op *op)
{
    if (!pass_is_on(ops, PASS_GUARDS)) {
        return;
    }
    if (op->kind == OP_GUARD) {
        ops->guards[ops->guard_count++ % GUARDS_KEPT] = (uint16_t)(op - ops->list);
        return;
    }
    if (!guards_tell_value(ops, op)) {
        return;
    }
    for (unsigned reg = 1; reg < OPS_REGISTERS; reg++) {
        if (ops->guest[reg].root == op->in[0].root) {
            ops->guest[reg] = guards_value_behind(op, ops->guest[reg]);
        }
    }
}
