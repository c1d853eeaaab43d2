/* The grammar of expressions. */
#include "tree.h"

typedef struct tree *binary_builder(struct unit *unit, enum tree_code code, struct tree *left,
                                    struct tree *right);

/* a > b is b < a: the operands change sides. */
static struct tree *build_swapped(struct unit *unit, enum tree_code code, struct tree *left,
                                  struct tree *right)
{
    return tree_binary(unit, code, right, left);
}

static const struct {
    int precedence;
    enum tree_code code;
    binary_builder *build;
} binary_operators[TOKEN_KINDS] = {
    [TOKEN_OR_OR] = {1, TREE_OR_OR, tree_logical},
    [TOKEN_AND_AND] = {2, TREE_AND_AND, tree_logical},
    [TOKEN_OR] = {3, TREE_OR, tree_binary},
    [TOKEN_XOR] = {4, TREE_XOR, tree_binary},
    [TOKEN_AND] = {5, TREE_AND, tree_binary},
    [TOKEN_EQUAL] = {6, TREE_EQ, tree_binary},
    [TOKEN_NOT_EQUAL] = {6, TREE_NE, tree_binary},
    [TOKEN_LESS] = {7, TREE_LT, tree_binary},
    [TOKEN_LESS_EQUAL] = {7, TREE_LE, tree_binary},
    [TOKEN_GREATER] = {7, TREE_LT, build_swapped},
    [TOKEN_GREATER_EQUAL] = {7, TREE_LE, build_swapped},
    [TOKEN_SHIFT_LEFT] = {8, TREE_SHL, tree_binary},
    [TOKEN_SHIFT_RIGHT] = {8, TREE_SHR, tree_binary},
    [TOKEN_PLUS] = {9, TREE_ADD, tree_binary},
    [TOKEN_MINUS] = {9, TREE_SUB, tree_binary},
    [TOKEN_STAR] = {10, TREE_MUL, tree_binary},
    [TOKEN_SLASH] = {10, TREE_DIV, tree_binary},
    [TOKEN_PERCENT] = {10, TREE_MOD, tree_binary},
};

static const unsigned char update_operators[TOKEN_KINDS] = {
    [TOKEN_PLUS_ASSIGN] = TREE_ADD,       [TOKEN_MINUS_ASSIGN] = TREE_SUB,
    [TOKEN_STAR_ASSIGN] = TREE_MUL,       [TOKEN_SLASH_ASSIGN] = TREE_DIV,
    [TOKEN_PERCENT_ASSIGN] = TREE_MOD,    [TOKEN_AND_ASSIGN] = TREE_AND,
    [TOKEN_OR_ASSIGN] = TREE_OR,          [TOKEN_XOR_ASSIGN] = TREE_XOR,
    [TOKEN_SHIFT_LEFT_ASSIGN] = TREE_SHL, [TOKEN_SHIFT_RIGHT_ASSIGN] = TREE_SHR,
};

static struct tree *parse_unary(struct unit *unit);

static struct tree *parse_call(struct unit *unit, struct symbol *symbol)
{
    const struct procedure *callee = symbol->procedure;
    struct tree *call = tree_make(unit, TREE_CALL, callee->result);
    struct tree **place = &call->kids[0];
    call->symbol = symbol;
    parse_expect(unit, TOKEN_OPEN);
    int count = 0;
    while (unit->token.kind != TOKEN_CLOSE) {
        if (count == callee->parameters.count) {
            unit_fail(unit, unit->token.line, "too many arguments for %.40s", symbol->name->text);
        }
        struct tree *value =
            tree_convert(unit, parse_assignment(unit), callee->parameters.items[count++]->type);
        struct tree *argument = tree_make(unit, TREE_COMMA, value->type);
        argument->kids[0] = value;
        *place = argument;
        place = &argument->next;
        if (!parse_accept(unit, TOKEN_COMMA)) {
            break;
        }
    }
    parse_expect(unit, TOKEN_CLOSE);
    if (count != callee->parameters.count) {
        unit_fail(unit, call->line, "too few arguments for %.40s", symbol->name->text);
    }
    call->value = count;
    return call;
}

static struct tree *parse_primary(struct unit *unit)
{
    struct token token = unit->token;
    parse_advance(unit);
    switch ((int)token.kind) {
    case TOKEN_NUMBER:
        return tree_constant(unit, token.value,
                             token.is_unsigned ? unit->unsigned_type : unit->int_type);
    case TOKEN_OPEN: {
        struct tree *tree = parse_expression(unit);
        parse_expect(unit, TOKEN_CLOSE);
        return tree;
    }
    case TOKEN_NAME:
        break;
    default:
        unit_fail(unit, token.line, "an expression cannot start with %s",
                  token_spelling(token.kind));
    }
    struct symbol *symbol = token.name->symbol;
    if (symbol == NULL) {
        unit_fail(unit, token.line, "%.40s is not declared", token.name->text);
    }
    return symbol->kind == SYMBOL_FUNCTION ? parse_call(unit, symbol) : tree_variable(unit, symbol);
}

static struct tree *parse_postfix(struct unit *unit)
{
    struct tree *tree = parse_primary(unit);
    for (;;) {
        if (parse_accept(unit, TOKEN_OPEN_BRACKET)) {
            tree = tree_index(unit, tree, parse_expression(unit));
            parse_expect(unit, TOKEN_CLOSE_BRACKET);
        } else if (parse_accept(unit, TOKEN_DOT)) {
            tree = tree_field(unit, tree, parse_name(unit));
        } else if (parse_accept(unit, TOKEN_ARROW)) {
            tree = tree_field(unit, tree_deref(unit, tree), parse_name(unit));
        } else if (parse_accept(unit, TOKEN_INCREMENT)) {
            tree = tree_postfix(unit, tree, 1);
        } else if (parse_accept(unit, TOKEN_DECREMENT)) {
            tree = tree_postfix(unit, tree, -1);
        } else {
            return tree;
        }
    }
}

static struct tree *unary_minus(struct unit *unit)
{
    return tree_unary(unit, TREE_NEGATE, parse_unary(unit));
}

static struct tree *unary_plus(struct unit *unit)
{
    return tree_condition(unit, parse_unary(unit));
}

static struct tree *unary_complement(struct unit *unit)
{
    return tree_unary(unit, TREE_COMPLEMENT, parse_unary(unit));
}

static struct tree *unary_not(struct unit *unit)
{
    return tree_unary(unit, TREE_NOT, parse_unary(unit));
}

static struct tree *unary_deref(struct unit *unit)
{
    return tree_deref(unit, parse_unary(unit));
}

static struct tree *unary_address(struct unit *unit)
{
    return tree_address_of(unit, parse_unary(unit));
}

static struct tree *unary_increment(struct unit *unit)
{
    struct tree *one = tree_constant(unit, 1, unit->int_type);
    return tree_update(unit, TREE_ADD, parse_unary(unit), one);
}

static struct tree *unary_decrement(struct unit *unit)
{
    struct tree *one = tree_constant(unit, 1, unit->int_type);
    return tree_update(unit, TREE_SUB, parse_unary(unit), one);
}

static struct tree *unary_sizeof(struct unit *unit)
{
    int size;
    parse_expect(unit, TOKEN_OPEN);
    if (parse_starts_type(unit)) {
        struct type *type = parse_type(unit);
        while (parse_accept(unit, TOKEN_STAR)) {
            type = type_pointer(unit, type);
        }
        size = type->size;
    } else {
        size = parse_expression(unit)->type->size;
    }
    parse_expect(unit, TOKEN_CLOSE);
    return tree_constant(unit, size, unit->unsigned_type);
}

static struct tree *(*const unary_parsers[TOKEN_KINDS])(struct unit *unit) = {
    [TOKEN_MINUS] = unary_minus,         [TOKEN_PLUS] = unary_plus,
    [TOKEN_TILDE] = unary_complement,    [TOKEN_NOT] = unary_not,
    [TOKEN_STAR] = unary_deref,          [TOKEN_AND] = unary_address,
    [TOKEN_INCREMENT] = unary_increment, [TOKEN_DECREMENT] = unary_decrement,
    [TOKEN_SIZEOF] = unary_sizeof,
};

static struct tree *parse_unary(struct unit *unit)
{
    enum token_kind kind = unit->token.kind;
    if (unary_parsers[kind] == NULL) {
        return parse_postfix(unit);
    }
    parse_advance(unit);
    return unary_parsers[kind](unit);
}

static struct tree *parse_binary(struct unit *unit, int least)
{
    struct tree *left = parse_unary(unit);
    for (;;) {
        enum token_kind kind = unit->token.kind;
        int precedence = binary_operators[kind].precedence;
        if (precedence == 0 || precedence < least) {
            return left;
        }
        parse_advance(unit);
        struct tree *right = parse_binary(unit, precedence + 1);
        left = binary_operators[kind].build(unit, binary_operators[kind].code, left, right);
    }
}

static struct tree *parse_choose(struct unit *unit)
{
    struct tree *condition = parse_binary(unit, 1);
    if (!parse_accept(unit, TOKEN_QUESTION)) {
        return condition;
    }
    struct tree *yes = parse_expression(unit);
    parse_expect(unit, TOKEN_COLON);
    struct tree *no = parse_choose(unit);
    return tree_choose(unit, condition, yes, no);
}

struct tree *parse_assignment(struct unit *unit)
{
    struct tree *left = parse_choose(unit);
    enum token_kind kind = unit->token.kind;
    if (kind == TOKEN_ASSIGN) {
        parse_advance(unit);
        return tree_assign(unit, left, parse_assignment(unit));
    }
    if (update_operators[kind] != 0) {
        parse_advance(unit);
        return tree_update(unit, update_operators[kind], left, parse_assignment(unit));
    }
    return left;
}

struct tree *parse_expression(struct unit *unit)
{
    struct tree *left = parse_assignment(unit);
    while (parse_accept(unit, TOKEN_COMMA)) {
        struct tree *right = tree_condition(unit, parse_assignment(unit));
        struct tree *comma = tree_make(unit, TREE_COMMA, right->type);
        comma->kids[0] = left;
        comma->kids[1] = right;
        left = comma;
    }
    return left;
}

int parse_constant(struct unit *unit)
{
    const struct tree *tree = parse_choose(unit);
    if (tree->code != TREE_CONST) {
        unit_fail(unit, tree->line, "a constant is needed");
    }
    return tree->value;
}
