/* The pass `values`: constants, copies, and what is an address plus a constant.
 *
 * Needs nothing.  Keeps everything: it says only what a result is. */
#include "translator/passes/ops.h"

static bool has(const struct ops *ops, struct value value, unsigned flag)
{
    return value.offset == 0 && (ops->root_flags[value.root] & flag) != 0;
}

static bool is_word(const struct ops *ops, struct value value)
{
    return value_is_constant(value) ? value.offset == (int32_t)value.offset
                                    : has(ops, value, OP_WORD | OP_BYTE);
}

static bool is_byte(const struct ops *ops, struct value value)
{
    return value_is_constant(value) ? value.offset == (uint8_t)value.offset
                                    : has(ops, value, OP_BYTE);
}

unsigned values_flags(const struct ops *ops, const struct op *op)
{
    const struct value a = op->in[0], b = op->in[1]; /* zero, if it reads no second one */
    const unsigned flags = op->form.flags;

    if ((flags & OP_KEEPS_BYTE) != 0 && is_byte(ops, a) && is_byte(ops, b)) {
        return flags | OP_WORD | OP_BYTE;
    }
    if ((flags & OP_KEEPS_WORD) != 0 && is_word(ops, a) && is_word(ops, b)) {
        return flags | OP_WORD;
    }
    return flags;
}

static bool compute_knows(const struct ops *ops, const struct op *op, struct value *out)
{
    const struct value a = op->in[0], b = op->in[1];
    const bool second_constant = value_is_constant(b);
    uint64_t result;

    if (op->form.rs[0] == NO_REGISTER) {
        return false;
    }
    if (value_is_constant(a) && second_constant &&
        target_fold(op->form.word, (uint64_t)a.offset, (uint64_t)b.offset, &result)) {
        *out = (struct value){.offset = (int64_t)result};
        return true;
    }
    if ((op->form.flags & OP_EXTENDS) != 0 && is_word(ops, a)) {
        *out = a;
        return true;
    }
    if ((op->form.flags & OP_ADDS) == 0) {
        return false;
    }
    if (value_is_constant(a)) {
        *out = value_add(b, a.offset);
        return true;
    }
    if (value_is_constant(b)) {
        *out = value_add(a, b.offset);
        return true;
    }
    return false;
}

bool values_know(struct ops *ops, const struct op *op, struct value *out)
{
    if (!pass_is_on(ops, PASS_VALUES)) {
        return false;
    }
    switch (op->kind) {
    case OP_CONSTANT:
        *out = (struct value){.offset = op->constant};
        return true;
    case OP_ADD:
        *out = value_add(op->in[0], op->constant);
        return true;
    case OP_COMPUTE:
        return compute_knows(ops, op, out);
    default:
        return false;
    }
}
