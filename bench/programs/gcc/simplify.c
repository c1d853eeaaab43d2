/* Algebra on single instructions: a hook for each operation says what could stand in its place. */
#include "ir.h"

/* A hook returns the instruction to use instead, or the same one, changed or not. */
typedef struct insn *simplify_hook(struct function *f, struct insn *insn);

static struct insn *constant_for(struct function *f, struct insn *insn, int value)
{
    f->changes++;
    return ir_constant_before(f, insn, value);
}

static struct insn *replace_by(struct function *f, struct insn *value)
{
    f->changes++;
    return value;
}

static struct insn *arg(const struct insn *insn, int index)
{
    return ir_final(insn->args[index]);
}

static bool right_is(const struct insn *insn, int value)
{
    return is_const(arg(insn, 1)) && arg(insn, 1)->value == value;
}

static bool same_args(const struct insn *insn)
{
    return arg(insn, 0) == arg(insn, 1);
}

static void set_op(struct function *f, struct insn *insn, enum op op, struct insn *left, int right)
{
    insn->op = op;
    insn->args[0] = left;
    insn->args[1] = ir_constant_before(f, insn, right);
    f->changes++;
}

static int power_of_two(int value)
{
    uint32_t bits = (uint32_t)value;
    return bits != 0 && (bits & (bits - 1)) == 0 ? __builtin_ctz(bits) : -1;
}

/* (x op c1) op c2 is x op (c1 op c2). */
static void join_constants(struct function *f, struct insn *insn)
{
    const struct insn *left = arg(insn, 0);
    if (is_const(arg(insn, 1)) && left->op == insn->op && is_const(arg(left, 1))) {
        set_op(f, insn, insn->op, arg(left, 0),
               ir_evaluate(insn->op, arg(left, 1)->value, arg(insn, 1)->value));
    }
}

static struct insn *simplify_add(struct function *f, struct insn *insn)
{
    if (right_is(insn, 0)) {
        return replace_by(f, arg(insn, 0));
    }
    join_constants(f, insn);
    struct insn *left = arg(insn, 0);
    if (left->op == OP_GLOBAL && is_const(arg(insn, 1))) {
        struct insn *global = ir_insn(f, OP_GLOBAL, 0);
        global->symbol = left->symbol;
        global->value = wrap((int64_t)left->value + arg(insn, 1)->value);
        ir_insert_before(insn, global);
        return replace_by(f, global);
    }
    return insn;
}

static struct insn *simplify_sub(struct function *f, struct insn *insn)
{
    if (same_args(insn)) {
        return constant_for(f, insn, 0);
    }
    if (is_const(arg(insn, 1))) {
        set_op(f, insn, OP_ADD, arg(insn, 0), wrap(-(int64_t)arg(insn, 1)->value));
        return simplify_add(f, insn);
    }
    const struct insn *left = arg(insn, 0);
    if (left->op == OP_ADD && arg(left, 0) == arg(insn, 1)) {
        return replace_by(f, arg(left, 1));
    }
    if (left->op == OP_ADD && arg(left, 1) == arg(insn, 1)) {
        return replace_by(f, arg(left, 0));
    }
    return insn;
}

static struct insn *simplify_mul(struct function *f, struct insn *insn)
{
    if (right_is(insn, 0)) {
        return constant_for(f, insn, 0);
    }
    if (right_is(insn, 1)) {
        return replace_by(f, arg(insn, 0));
    }
    join_constants(f, insn);
    int shift = is_const(arg(insn, 1)) ? power_of_two(arg(insn, 1)->value) : -1;
    if (shift > 0) {
        set_op(f, insn, OP_SHL, arg(insn, 0), shift);
    }
    return insn;
}

static struct insn *simplify_div(struct function *f, struct insn *insn)
{
    return right_is(insn, 1) ? replace_by(f, arg(insn, 0)) : insn;
}

static struct insn *simplify_mod(struct function *f, struct insn *insn)
{
    return right_is(insn, 1) ? constant_for(f, insn, 0) : insn;
}

static struct insn *simplify_divu(struct function *f, struct insn *insn)
{
    int shift = is_const(arg(insn, 1)) ? power_of_two(arg(insn, 1)->value) : -1;
    if (shift >= 0) {
        set_op(f, insn, OP_SHRU, arg(insn, 0), shift);
    }
    return insn;
}

static struct insn *simplify_modu(struct function *f, struct insn *insn)
{
    int shift = is_const(arg(insn, 1)) ? power_of_two(arg(insn, 1)->value) : -1;
    if (shift >= 0) {
        set_op(f, insn, OP_AND, arg(insn, 0), wrap((INT64_C(1) << shift) - 1));
    }
    return insn;
}

static struct insn *simplify_and(struct function *f, struct insn *insn)
{
    if (right_is(insn, 0)) {
        return constant_for(f, insn, 0);
    }
    if (right_is(insn, -1) || same_args(insn)) {
        return replace_by(f, arg(insn, 0));
    }
    join_constants(f, insn);
    /* A comparison or a loaded byte has few bits anyway. */
    const struct insn *left = arg(insn, 0);
    int bits = has_flag(left, COMPARES) ? 1 : left->op == OP_LOAD_BYTE ? 255 : -1;
    if (bits > 0 && is_const(arg(insn, 1)) && (arg(insn, 1)->value & bits) == bits) {
        return replace_by(f, arg(insn, 0));
    }
    return insn;
}

static struct insn *simplify_or(struct function *f, struct insn *insn)
{
    if (right_is(insn, 0) || same_args(insn)) {
        return replace_by(f, arg(insn, 0));
    }
    join_constants(f, insn);
    return insn;
}

static struct insn *simplify_xor(struct function *f, struct insn *insn)
{
    if (same_args(insn)) {
        return constant_for(f, insn, 0);
    }
    join_constants(f, insn);
    return right_is(insn, 0) ? replace_by(f, arg(insn, 0)) : insn;
}

static struct insn *simplify_shift(struct function *f, struct insn *insn)
{
    return right_is(insn, 0) ? replace_by(f, arg(insn, 0)) : insn;
}

/* x == 0 and x != 0 of a comparison are that comparison, or its opposite. */
static struct insn *simplify_equal(struct function *f, struct insn *insn)
{
    struct insn *left = arg(insn, 0);
    if (same_args(insn)) {
        return constant_for(f, insn, insn->op == OP_EQ);
    }
    if (!right_is(insn, 0) || !has_flag(left, COMPARES)) {
        return insn;
    }
    if (insn->op == OP_NE) {
        return replace_by(f, left);
    }
    static const unsigned char opposite[OPS] = {
        [OP_EQ] = OP_NE, [OP_NE] = OP_EQ,   [OP_LT] = OP_LE,
        [OP_LE] = OP_LT, [OP_LTU] = OP_LEU, [OP_LEU] = OP_LTU,
    };
    bool swap = left->op != OP_EQ && left->op != OP_NE;
    insn->op = opposite[left->op];
    struct insn *first = arg(left, swap);
    struct insn *second = arg(left, !swap);
    insn->args[0] = first;
    insn->args[1] = second;
    f->changes++;
    return insn;
}

static struct insn *simplify_less(struct function *f, struct insn *insn)
{
    if (same_args(insn)) {
        return constant_for(f, insn, insn->op == OP_LE || insn->op == OP_LEU);
    }
    if (insn->op == OP_LTU && right_is(insn, 1)) {
        set_op(f, insn, OP_EQ, arg(insn, 0), 0);
    } else if (insn->op == OP_LE && is_const(arg(insn, 1)) && arg(insn, 1)->value != INT32_MAX) {
        set_op(f, insn, OP_LT, arg(insn, 0), arg(insn, 1)->value + 1);
    }
    return insn;
}

static struct insn *simplify_select(struct function *f, struct insn *insn)
{
    if (arg(insn, 1) == arg(insn, 2)) {
        return replace_by(f, arg(insn, 1));
    }
    if (is_const(arg(insn, 0))) {
        return replace_by(f, arg(insn, arg(insn, 0)->value != 0 ? 1 : 2));
    }
    if (is_const(arg(insn, 1)) && is_const(arg(insn, 2)) && arg(insn, 1)->value == 1 &&
        arg(insn, 2)->value == 0 && has_flag(arg(insn, 0), COMPARES)) {
        return replace_by(f, arg(insn, 0));
    }
    return insn;
}

static struct insn *simplify_branch(struct function *f, struct insn *insn)
{
    struct insn *condition = arg(insn, 0);
    if (condition->op == OP_NE && right_is(condition, 0)) {
        insn->args[0] = arg(condition, 0);
        f->changes++;
    }
    return insn;
}

static simplify_hook *const simplify_hooks[OPS] = {
    [OP_ADD] = simplify_add,    [OP_SUB] = simplify_sub,       [OP_MUL] = simplify_mul,
    [OP_DIV] = simplify_div,    [OP_MOD] = simplify_mod,       [OP_DIVU] = simplify_divu,
    [OP_MODU] = simplify_modu,  [OP_AND] = simplify_and,       [OP_OR] = simplify_or,
    [OP_XOR] = simplify_xor,    [OP_SHL] = simplify_shift,     [OP_SHR] = simplify_shift,
    [OP_SHRU] = simplify_shift, [OP_EQ] = simplify_equal,      [OP_NE] = simplify_equal,
    [OP_LT] = simplify_less,    [OP_LE] = simplify_less,       [OP_LTU] = simplify_less,
    [OP_LEU] = simplify_less,   [OP_SELECT] = simplify_select, [OP_BRANCH] = simplify_branch,
};

static struct insn *simplify_insn(struct function *f, struct insn *insn)
{
    if (insn->op >= OP_ADD && insn->op <= OP_LEU) {
        struct insn *left = arg(insn, 0);
        struct insn *right = arg(insn, 1);
        if (is_const(left) && is_const(right)) {
            return constant_for(f, insn, ir_evaluate(insn->op, left->value, right->value));
        }
        if (has_flag(insn, COMMUTES) && is_const(left)) {
            insn->args[0] = right;
            insn->args[1] = left;
            f->changes++;
        }
    }
    simplify_hook *hook = simplify_hooks[insn->op];
    return hook == NULL ? insn : hook(f, insn);
}

int pass_simplify(struct function *f)
{
    f->changes = 0;
    flow_order(f);
    for_each_block(f, block)
    {
        for_each_insn(block, insn)
        {
            struct insn *better = simplify_insn(f, insn);
            if (better != insn) {
                insn->forward = better;
            }
        }
    }
    ir_resolve(f);
    return f->changes;
}
