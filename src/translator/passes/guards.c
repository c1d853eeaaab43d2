/* The pass `guards`: what a guard has found to hold is known behind it, and not compared again.
 *
 * Needs values.  Keeps every way that the program may take: a guard goes only if it certainly holds. */
#include "translator/passes/ops.h"

/* How many ops are looked back at for the same guard. */
#define LOOK_BACK 64

static bool held_before(const struct ops *ops, const struct op *op)
{
    const struct op *const first = op - ops->list > LOOK_BACK ? op - LOOK_BACK : ops->list;

    for (const struct op *before = op; before-- != first;) {
        if (before->kind == OP_GUARD && before->word == op->word &&
            value_equals(before->in[0], op->in[0]) && value_equals(before->in[1], op->in[1])) {
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

/* The registers that hold the target are constants from now on. */
void guards_note(struct ops *ops, const struct op *op)
{
    if (!pass_is_on(ops, PASS_GUARDS) || op->kind != OP_TARGET) {
        return;
    }
    for (unsigned reg = 1; reg < OPS_REGISTERS; reg++) {
        if (value_equals(ops->guest[reg], op->in[0])) {
            ops->guest[reg] = (struct value){.offset = op->constant};
        }
    }
}
