/* Builds trees and checks their types. */
#include "tree.h"

struct tree *tree_make(struct unit *unit, enum tree_code code, struct type *type)
{
    struct tree *tree = arena_take(&unit->arena, sizeof *tree);
    tree->code = code;
    tree->type = type;
    tree->line = unit->token.line;
    unit->tree_count++;
    return tree;
}

const char *tree_operator(enum tree_code code)
{
    static const char *const texts[] = {
#define TREE(code, text, op, interpret, lower) text,
#include "tree.def"
#undef TREE
    };
    return code < TREE_CODES ? texts[code] : "statement";
}

struct tree *tree_constant(struct unit *unit, int value, struct type *type)
{
    struct tree *tree = tree_make(unit, TREE_CONST, type);
    tree->value = value;
    return tree;
}

struct tree *tree_variable(struct unit *unit, struct symbol *symbol)
{
    if (symbol->kind == SYMBOL_ENUMERATOR) {
        return tree_constant(unit, symbol->enumerator, unit->int_type);
    }
    struct tree *tree = tree_make(unit, TREE_VARIABLE, symbol->type);
    tree->symbol = symbol;
    return tree;
}

static bool is_lvalue(const struct tree *tree)
{
    return tree->code == TREE_VARIABLE || tree->code == TREE_DEREF;
}

/* The address of an object as a tree of its own. */
static struct tree *tree_raw_address(struct unit *unit, struct tree *kid, struct type *type)
{
    if (kid->code == TREE_DEREF) {
        struct tree *address = kid->kids[0];
        if (address->type == type) {
            return address;
        }
        struct tree *copy = arena_take(&unit->arena, sizeof *copy);
        *copy = *address;
        copy->type = type;
        return copy;
    }
    struct tree *tree = tree_make(unit, TREE_ADDRESS, type);
    tree->symbol = kid->symbol;
    kid->symbol->address_taken = true;
    return tree;
}

/* Arrays become pointers to their first element; functions are no values here. */
struct tree *tree_value(struct unit *unit, struct tree *tree)
{
    if (tree->type->kind == TYPE_ARRAY) {
        return tree_raw_address(unit, tree, type_pointer(unit, tree->type->base));
    }
    if (tree->type->kind == TYPE_FUNCTION || tree->type->kind == TYPE_VOID) {
        unit_fail(unit, tree->line, "a value is needed");
    }
    return tree;
}

struct tree *tree_condition(struct unit *unit, struct tree *tree)
{
    tree = tree_value(unit, tree);
    if (!type_is_scalar(tree->type)) {
        unit_fail(unit, tree->line, "a condition must be a scalar");
    }
    return tree;
}

struct tree *tree_convert(struct unit *unit, struct tree *tree, struct type *type)
{
    tree = tree_value(unit, tree);
    if (tree->type == type) {
        return tree;
    }
    if (type->kind == TYPE_CHAR && type_is_integer(tree->type)) {
        struct tree *narrow = tree_make(unit, TREE_NARROW, type);
        narrow->kids[0] = tree;
        return fold_tree(unit, narrow);
    }
    bool fits = type_is_integer(type) && type_is_integer(tree->type);
    bool null = type->kind == TYPE_POINTER && tree->code == TREE_CONST && tree->value == 0;
    if (!fits && !null) {
        unit_fail(unit, tree->line, "incompatible types");
    }
    return tree;
}

static struct type *common_type(struct unit *unit, const struct tree *left,
                                const struct tree *right)
{
    if (left->type->kind == TYPE_UNSIGNED || right->type->kind == TYPE_UNSIGNED) {
        return unit->unsigned_type;
    }
    return unit->int_type;
}

static struct tree *tree_pair(struct unit *unit, enum tree_code code, struct type *type,
                              struct tree *left, struct tree *right)
{
    struct tree *tree = tree_make(unit, code, type);
    tree->kids[0] = left;
    tree->kids[1] = right;
    return fold_tree(unit, tree);
}

static struct tree *scaled(struct unit *unit, struct tree *index, const struct type *base)
{
    return tree_pair(unit, TREE_MUL, unit->int_type, index,
                     tree_constant(unit, base->size, unit->int_type));
}

static struct tree *pointer_arithmetic(struct unit *unit, enum tree_code code, struct tree *left,
                                       struct tree *right)
{
    struct type *type = left->type;
    if (right->type->kind == TYPE_POINTER) {
        if (code != TREE_SUB || type != right->type) {
            unit_fail(unit, left->line, "bad operands of %s", tree_operator(code));
        }
        struct tree *bytes = tree_pair(unit, TREE_SUB, unit->int_type, left, right);
        return tree_pair(unit, TREE_DIV, unit->int_type, bytes,
                         tree_constant(unit, type->base->size, unit->int_type));
    }
    return tree_pair(unit, code, type, left, scaled(unit, right, type->base));
}

static struct tree *compare(struct unit *unit, enum tree_code code, struct tree *left,
                            struct tree *right)
{
    bool pointers = left->type->kind == TYPE_POINTER || right->type->kind == TYPE_POINTER;
    if (pointers && left->type != right->type) {
        if (left->type->kind == TYPE_POINTER) {
            right = tree_convert(unit, right, left->type);
        } else {
            left = tree_convert(unit, left, right->type);
        }
    }
    bool is_unsigned = pointers || common_type(unit, left, right)->kind == TYPE_UNSIGNED;
    if (is_unsigned && (code == TREE_LT || code == TREE_LE)) {
        code = code == TREE_LT ? TREE_LTU : TREE_LEU;
    }
    return tree_pair(unit, code, unit->int_type, left, right);
}

struct tree *tree_binary(struct unit *unit, enum tree_code code, struct tree *left,
                         struct tree *right)
{
    left = tree_condition(unit, left);
    right = tree_condition(unit, right);
    if (code >= TREE_EQ && code <= TREE_LEU) {
        return compare(unit, code, left, right);
    }
    if (code == TREE_ADD && right->type->kind == TYPE_POINTER && left->type->kind != TYPE_POINTER) {
        return pointer_arithmetic(unit, code, right, left);
    }
    if (left->type->kind == TYPE_POINTER && (code == TREE_ADD || code == TREE_SUB)) {
        return pointer_arithmetic(unit, code, left, right);
    }
    if (!type_is_integer(left->type) || !type_is_integer(right->type)) {
        unit_fail(unit, left->line, "bad operands of %s", tree_operator(code));
    }
    struct type *type = common_type(unit, left, right);
    if (code == TREE_SHL || code == TREE_SHR) {
        type = left->type->kind == TYPE_UNSIGNED ? left->type : unit->int_type;
    }
    if (type->kind == TYPE_UNSIGNED) {
        code = code == TREE_DIV   ? TREE_DIVU
               : code == TREE_MOD ? TREE_MODU
               : code == TREE_SHR ? TREE_SHRU
                                  : code;
    }
    return tree_pair(unit, code, type, left, right);
}

struct tree *tree_unary(struct unit *unit, enum tree_code code, struct tree *kid)
{
    kid = tree_condition(unit, kid);
    if (code != TREE_NOT && !type_is_integer(kid->type)) {
        unit_fail(unit, kid->line, "bad operand of %s", tree_operator(code));
    }
    struct type *type =
        code != TREE_NOT && kid->type->kind == TYPE_UNSIGNED ? unit->unsigned_type : unit->int_type;
    struct tree *tree = tree_make(unit, code, type);
    tree->kids[0] = kid;
    return fold_tree(unit, tree);
}

struct tree *tree_deref(struct unit *unit, struct tree *pointer)
{
    pointer = tree_value(unit, pointer);
    if (pointer->type->kind != TYPE_POINTER) {
        unit_fail(unit, pointer->line, "only a pointer can be followed");
    }
    struct tree *tree = tree_make(unit, TREE_DEREF, pointer->type->base);
    tree->kids[0] = pointer;
    return tree;
}

struct tree *tree_address_of(struct unit *unit, struct tree *kid)
{
    if (!is_lvalue(kid) || kid->type->kind == TYPE_FUNCTION) {
        unit_fail(unit, kid->line, "the address of something that has none");
    }
    return tree_raw_address(unit, kid, type_pointer(unit, kid->type));
}

struct tree *tree_index(struct unit *unit, struct tree *array, struct tree *index)
{
    return tree_deref(unit, tree_binary(unit, TREE_ADD, array, index));
}

struct tree *tree_field(struct unit *unit, struct tree *object, const struct name *name)
{
    const struct field *field = NULL;
    if (object->type->kind == TYPE_STRUCT && is_lvalue(object)) {
        field = type_find_field(object->type, name);
    }
    if (field == NULL) {
        unit_fail(unit, object->line, "no field %.40s", name->text);
    }
    struct type *type = type_pointer(unit, field->type);
    struct tree *address = tree_raw_address(unit, object, type);
    struct tree *offset = tree_constant(unit, field->offset, unit->int_type);
    return tree_deref(unit, tree_pair(unit, TREE_ADD, type, address, offset));
}

static void check_assignable(struct unit *unit, const struct tree *left)
{
    if (!is_lvalue(left) || !type_is_scalar(left->type)) {
        unit_fail(unit, left->line, "not assignable");
    }
}

struct tree *tree_assign(struct unit *unit, struct tree *left, struct tree *right)
{
    check_assignable(unit, left);
    struct tree *tree = tree_make(unit, TREE_ASSIGN, left->type);
    tree->kids[0] = left;
    tree->kids[1] = tree_convert(unit, right, left->type);
    return tree;
}

/* The operation is kept as a code of its own kind in `value`. */
struct tree *tree_update(struct unit *unit, enum tree_code code, struct tree *left,
                         struct tree *right)
{
    check_assignable(unit, left);
    right = tree_condition(unit, right);
    if (left->type->kind == TYPE_POINTER) {
        if ((code != TREE_ADD && code != TREE_SUB) || !type_is_integer(right->type)) {
            unit_fail(unit, left->line, "bad operands of %s=", tree_operator(code));
        }
        right = scaled(unit, right, left->type->base);
    } else if (!type_is_integer(right->type)) {
        unit_fail(unit, left->line, "bad operands of %s=", tree_operator(code));
    }
    struct type *type = common_type(unit, left, right);
    if (code == TREE_SHR || code == TREE_SHL) {
        type = left->type;
    }
    if (type->kind == TYPE_UNSIGNED) {
        code = code == TREE_DIV   ? TREE_DIVU
               : code == TREE_MOD ? TREE_MODU
               : code == TREE_SHR ? TREE_SHRU
                                  : code;
    }
    struct tree *tree = tree_make(unit, TREE_UPDATE, left->type);
    tree->kids[0] = left;
    tree->kids[1] = right;
    tree->value = (int)code;
    return tree;
}

struct tree *tree_postfix(struct unit *unit, struct tree *left, int direction)
{
    check_assignable(unit, left);
    struct tree *tree = tree_make(unit, TREE_POSTFIX, left->type);
    tree->kids[0] = left;
    tree->value = left->type->kind == TYPE_POINTER ? direction * left->type->base->size : direction;
    return tree;
}

struct tree *tree_logical(struct unit *unit, enum tree_code code, struct tree *left,
                          struct tree *right)
{
    left = tree_condition(unit, left);
    right = tree_condition(unit, right);
    /* The right side must give 0 or 1, as the whole does. */
    struct tree *zero = tree_constant(unit, 0, unit->int_type);
    struct tree *truth = tree_pair(unit, TREE_NE, unit->int_type, right, zero);
    return tree_pair(unit, code, unit->int_type, left, truth);
}

struct tree *tree_choose(struct unit *unit, struct tree *condition, struct tree *yes,
                         struct tree *no)
{
    yes = tree_condition(unit, yes);
    no = tree_condition(unit, no);
    struct type *type = yes->type;
    if (type_is_integer(yes->type) && type_is_integer(no->type)) {
        type = common_type(unit, yes, no);
    } else if (yes->type->kind == TYPE_POINTER) {
        no = tree_convert(unit, no, yes->type);
    } else {
        yes = tree_convert(unit, yes, no->type);
        type = no->type;
    }
    struct tree *tree = tree_make(unit, TREE_CHOOSE, type);
    tree->kids[0] = tree_condition(unit, condition);
    tree->kids[1] = yes;
    tree->kids[2] = no;
    return fold_tree(unit, tree);
}
