/* Simplifies trees as they are built: constants, neutral elements, addresses. */
#include "tree.h"

static int fold_divide(int left, int right)
{
    return right == 0 ? 0 : wrap((int64_t)left / right);
}

static int fold_remainder(int left, int right)
{
    return right == 0 ? 0 : wrap((int64_t)left % right);
}

int fold_binary(enum tree_code code, int left, int right)
{
    uint32_t a = (uint32_t)left;
    uint32_t b = (uint32_t)right;
    switch ((int)code) {
    case TREE_ADD:
        return (int)(a + b);
    case TREE_SUB:
        return (int)(a - b);
    case TREE_MUL:
        return (int)(a * b);
    case TREE_DIV:
        return fold_divide(left, right);
    case TREE_MOD:
        return fold_remainder(left, right);
    case TREE_DIVU:
        return b == 0 ? 0 : (int)(a / b);
    case TREE_MODU:
        return b == 0 ? 0 : (int)(a % b);
    case TREE_AND:
        return left & right;
    case TREE_OR:
        return left | right;
    case TREE_XOR:
        return left ^ right;
    case TREE_SHL:
        return (int)(a << (b & 31));
    case TREE_SHR:
        return left >> (b & 31);
    case TREE_SHRU:
        return (int)(a >> (b & 31));
    case TREE_EQ:
        return left == right;
    case TREE_NE:
        return left != right;
    case TREE_LT:
        return left < right;
    case TREE_LE:
        return left <= right;
    case TREE_LTU:
        return a < b;
    case TREE_LEU:
        return a <= b;
    default:
        return 0;
    }
}

static bool is_constant(const struct tree *tree, int value)
{
    return tree->code == TREE_CONST && tree->value == value;
}

static struct tree *with_type(struct unit *unit, struct tree *tree, struct type *type)
{
    if (tree->type == type) {
        return tree;
    }
    struct tree *copy = arena_take(&unit->arena, sizeof *copy);
    *copy = *tree;
    copy->type = type;
    return copy;
}

static struct tree *fold_sum(struct unit *unit, struct tree *tree)
{
    struct tree *left = tree->kids[0];
    struct tree *right = tree->kids[1];
    if (tree->code == TREE_ADD && left->code == TREE_CONST && right->code != TREE_CONST) {
        tree->kids[0] = right;
        tree->kids[1] = left;
        left = tree->kids[0];
        right = tree->kids[1];
    }
    if (is_constant(right, 0)) {
        return left->code == TREE_VARIABLE || left->code == TREE_DEREF
                   ? tree
                   : with_type(unit, left, tree->type);
    }
    if (tree->code == TREE_ADD && left->code == TREE_ADDRESS && right->code == TREE_CONST) {
        struct tree *address = with_type(unit, left, tree->type);
        struct tree *copy = arena_take(&unit->arena, sizeof *copy);
        *copy = *address;
        copy->value = wrap((int64_t)left->value + right->value);
        return copy;
    }
    if (tree->code == TREE_ADD && left->code == TREE_ADD && right->code == TREE_CONST &&
        left->kids[1]->code == TREE_CONST) {
        tree->kids[0] = left->kids[0];
        tree->kids[1] =
            tree_constant(unit, wrap((int64_t)left->kids[1]->value + right->value), unit->int_type);
    }
    return tree;
}

static struct tree *fold_product(struct unit *unit, struct tree *tree)
{
    if (tree->kids[0]->code == TREE_CONST) {
        struct tree *constant = tree->kids[0];
        tree->kids[0] = tree->kids[1];
        tree->kids[1] = constant;
    }
    if (is_constant(tree->kids[1], 1) && tree->kids[0]->code != TREE_VARIABLE &&
        tree->kids[0]->code != TREE_DEREF) {
        return with_type(unit, tree->kids[0], tree->type);
    }
    return tree;
}

static struct tree *fold_complement(struct unit *unit, struct tree *tree)
{
    struct tree *kid = tree->kids[0];
    if (kid->code == TREE_CONST) {
        return tree_constant(unit, ~kid->value, tree->type);
    }
    return kid->code == TREE_COMPLEMENT ? kid->kids[0] : tree;
}

static struct tree *fold_negate(struct unit *unit, struct tree *tree)
{
    struct tree *kid = tree->kids[0];
    if (kid->code == TREE_CONST) {
        return tree_constant(unit, wrap(-(int64_t)kid->value), tree->type);
    }
    return tree;
}

static struct tree *fold_not(struct unit *unit, struct tree *tree)
{
    static const unsigned char inverse[TREE_CODES] = {[TREE_EQ] = TREE_NE, [TREE_NE] = TREE_EQ};
    struct tree *kid = tree->kids[0];
    if (kid->code == TREE_CONST) {
        return tree_constant(unit, kid->value == 0, unit->int_type);
    }
    if (inverse[kid->code] != 0) {
        kid->code = inverse[kid->code];
        return kid;
    }
    return tree;
}

static struct tree *fold_narrow(struct unit *unit, struct tree *tree)
{
    struct tree *kid = tree->kids[0];
    if (kid->code == TREE_CONST) {
        return tree_constant(unit, kid->value & 255, tree->type);
    }
    return kid->code == TREE_NARROW ? kid : tree;
}

static struct tree *fold_logical(struct unit *unit, struct tree *tree)
{
    struct tree *left = tree->kids[0];
    if (left->code != TREE_CONST) {
        return tree;
    }
    if ((left->value != 0) == (tree->code == TREE_OR_OR)) {
        return tree_constant(unit, tree->code == TREE_OR_OR, unit->int_type);
    }
    return tree_condition(unit, tree->kids[1]);
}

static struct tree *fold_choose(struct unit *unit, struct tree *tree)
{
    if (tree->kids[0]->code == TREE_CONST) {
        return with_type(unit, tree->kids[tree->kids[0]->value != 0 ? 1 : 2], tree->type);
    }
    return tree;
}

typedef struct tree *fold_hook(struct unit *unit, struct tree *tree);

static fold_hook *const fold_hooks[TREE_CODES] = {
    [TREE_ADD] = fold_sum,       [TREE_SUB] = fold_sum,
    [TREE_MUL] = fold_product,   [TREE_COMPLEMENT] = fold_complement,
    [TREE_NEGATE] = fold_negate, [TREE_NOT] = fold_not,
    [TREE_NARROW] = fold_narrow, [TREE_AND_AND] = fold_logical,
    [TREE_OR_OR] = fold_logical, [TREE_CHOOSE] = fold_choose,
};

struct tree *fold_tree(struct unit *unit, struct tree *tree)
{
    if (tree->code >= TREE_ADD && tree->code <= TREE_LEU && tree->kids[0]->code == TREE_CONST &&
        tree->kids[1]->code == TREE_CONST) {
        return tree_constant(
            unit, fold_binary(tree->code, tree->kids[0]->value, tree->kids[1]->value), tree->type);
    }
    fold_hook *hook = fold_hooks[tree->code];
    return hook == NULL ? tree : hook(unit, tree);
}
