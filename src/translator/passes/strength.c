/* The pass `strength`: an instruction of which an operand is known is done with a simpler one, or not at all.
 *
 * Multiplications and divisions become shifts, what has a constant in a register gets it in the instruction itself, so that
 * the register need not have it, and what adds nothing is a copy.
 *
 * Needs constants (values).  Keeps results; what the other operand is does not matter.  So a division stays where its form
 * for negative numbers takes several instructions. */
#include "translator/passes/ops.h"
#include "translator/passes/simpler.h"

static const struct value zero = {.root = 0};

/* The op reads one operand alone, as the first or the second. */
static void simplify(struct op *op, const struct simpler *to)
{
    const struct value kept = op->in[to->operand];
    const uint8_t rs = op->rs[to->operand];
    const bool negates = to->kind == SIMPLER_NEGATION;

    op->form = (struct form){.word = to->word,
                             .rs = {negates ? (uint8_t)0 : rs, negates ? rs : NO_REGISTER},
                             .flags = (uint8_t)((op->flags & (OP_WORD | OP_BYTE)) | to->flags)};
    op->in[0] = negates ? zero : kept;
    op->in[1] = negates ? kept : zero;
}

static void ask(const struct ops *ops, const struct op *op, struct simpler *to)
{
    const struct value a = op->in[0], b = op->in[1];

    *to = (struct simpler){.kind = SIMPLER_NOT};
    if (op->rs[0] == NO_REGISTER) {
        return;
    }
    if (op->rs[1] == NO_REGISTER) {
        const bool byte = a.offset == 0 && (ops->root_flags[a.root] & OP_BYTE) != 0;
        to->kind = byte && target_keeps_byte(op->word) ? SIMPLER_SUM : SIMPLER_NOT;
    } else if (value_is_constant(b)) {
        target_simplify(op->word, 1, b.offset, to);
    } else if (value_is_constant(a)) {
        target_simplify(op->word, 0, a.offset, to);
    } else if (a.root == b.root) {
        target_simplify_near(op->word, (int64_t)((uint64_t)a.offset - (uint64_t)b.offset), to);
    }
}

bool strength_know(struct ops *ops, struct op *op, struct value *out)
{
    if (!pass_is_on(ops, PASS_STRENGTH)) {
        return false;
    }
    struct simpler to;

    ask(ops, op, &to);
    switch (to.kind) {
    case SIMPLER_CONSTANT:
        *out = (struct value){.offset = to.constant};
        return true;
    case SIMPLER_SUM:
        *out = value_add(op->in[to.operand], to.constant);
        return true;
    case SIMPLER_WORD:
    case SIMPLER_NEGATION:
        simplify(op, &to);
        return values_know(ops, op, out);
    default:
        return false;
    }
}
