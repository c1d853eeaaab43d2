/* The pass `common`: what was computed before from the same values is not computed again.
 *
 * Needs values.  Keeps everything: the first result is the second, too. */
#include "translator/passes/ops.h"

static uint16_t *bucket(struct ops *ops, const struct op *op)
{
    const uint64_t mixed = op->form.word * UINT64_C(0x9e3779b1) +
                           op->in[0].root * UINT64_C(0x85ebca6b) +
                           op->in[1].root * UINT64_C(0xc2b2ae35) + (uint64_t)op->in[0].offset +
                           (uint64_t)op->in[1].offset;

    return &ops->common[mixed >> 8 & (COMMON_BUCKETS - 1)];
}

static bool same(const struct op *a, const struct op *b)
{
    return a->form.word == b->form.word && value_equals(a->in[0], b->in[0]) &&
           value_equals(a->in[1], b->in[1]);
}

bool common_know(struct ops *ops, const struct op *op, struct value *out)
{
    if (!pass_is_on(ops, PASS_COMMON)) {
        return false;
    }
    const unsigned number = *bucket(ops, op);

    if (number == 0 || !same(&ops->list[number - 1], op)) {
        return false;
    }
    *out = ops->list[number - 1].out;
    return true;
}

void common_note(struct ops *ops, const struct op *op)
{
    if (op->rd != 0) {
        *bucket(ops, op) = (uint16_t)(op - ops->list + 1);
    }
}
