/* The grammar of statements. */
#include "tree.h"

static struct tree *parse_statement(struct unit *unit);

static struct tree *statement_of(struct unit *unit, enum tree_code code)
{
    return tree_make(unit, code, unit->void_type);
}

static struct tree *parse_parenthesized(struct unit *unit)
{
    parse_expect(unit, TOKEN_OPEN);
    struct tree *tree = tree_condition(unit, parse_expression(unit));
    parse_expect(unit, TOKEN_CLOSE);
    return tree;
}

static struct tree *expression_statement(struct unit *unit, struct tree *expression)
{
    struct tree *statement = statement_of(unit, STATEMENT_EXPRESSION);
    statement->kids[0] = expression;
    return statement;
}

static struct tree *parse_body(struct unit *unit)
{
    unit->loop_depth++;
    struct tree *body = parse_statement(unit);
    unit->loop_depth--;
    return body;
}

static struct tree *parse_if(struct unit *unit)
{
    struct tree *statement = statement_of(unit, STATEMENT_IF);
    parse_advance(unit);
    statement->kids[0] = parse_parenthesized(unit);
    statement->kids[1] = parse_statement(unit);
    if (parse_accept(unit, TOKEN_ELSE)) {
        statement->kids[2] = parse_statement(unit);
    }
    return statement;
}

static struct tree *parse_while(struct unit *unit)
{
    struct tree *statement = statement_of(unit, STATEMENT_LOOP);
    parse_advance(unit);
    statement->kids[0] = parse_parenthesized(unit);
    statement->kids[2] = parse_body(unit);
    return statement;
}

static struct tree *parse_do(struct unit *unit)
{
    struct tree *statement = statement_of(unit, STATEMENT_LOOP);
    parse_advance(unit);
    statement->flag = true;
    statement->kids[2] = parse_body(unit);
    parse_expect(unit, TOKEN_WHILE);
    statement->kids[0] = parse_parenthesized(unit);
    parse_expect(unit, TOKEN_SEMICOLON);
    return statement;
}

static struct tree *parse_for(struct unit *unit)
{
    struct tree *block = statement_of(unit, STATEMENT_BLOCK);
    struct tree *loop = statement_of(unit, STATEMENT_LOOP);
    parse_advance(unit);
    parse_expect(unit, TOKEN_OPEN);
    scope_enter(unit);
    struct tree **place = &block->kids[0];
    if (parse_starts_type(unit)) {
        *place = parse_local_declaration(unit);
    } else if (!parse_accept(unit, TOKEN_SEMICOLON)) {
        *place = expression_statement(unit, parse_expression(unit));
        parse_expect(unit, TOKEN_SEMICOLON);
    }
    while (*place != NULL) {
        place = &(*place)->next;
    }
    if (unit->token.kind != TOKEN_SEMICOLON) {
        loop->kids[0] = tree_condition(unit, parse_expression(unit));
    }
    parse_expect(unit, TOKEN_SEMICOLON);
    if (unit->token.kind != TOKEN_CLOSE) {
        loop->kids[1] = parse_expression(unit);
    }
    parse_expect(unit, TOKEN_CLOSE);
    loop->kids[2] = parse_body(unit);
    scope_leave(unit);
    *place = loop;
    return block;
}

static struct tree *parse_switch(struct unit *unit)
{
    struct tree *outer = unit->open_switch;
    struct tree *statement = statement_of(unit, STATEMENT_SWITCH);
    parse_advance(unit);
    statement->kids[0] = parse_parenthesized(unit);
    if (!type_is_integer(statement->kids[0]->type)) {
        unit_fail(unit, statement->line, "switch needs an integer");
    }
    unit->open_switch = statement;
    unit->switch_depth++;
    statement->kids[1] = parse_block(unit);
    unit->switch_depth--;
    unit->open_switch = outer;
    return statement;
}

static void add_case(struct unit *unit, struct tree *statement, struct tree *label)
{
    struct tree **place = &statement->next_case;
    for (; *place != NULL; place = &(*place)->next_case) {
        if ((*place)->flag == label->flag && (label->flag || (*place)->value == label->value)) {
            unit_fail(unit, label->line, "a case twice");
        }
    }
    *place = label;
    statement->value++;
}

/* Labels stand at the top of the switch's own block only: no jumps into loops. */
static struct tree *parse_case(struct unit *unit)
{
    struct tree *label = statement_of(unit, STATEMENT_CASE);
    if (unit->open_switch == NULL) {
        unit_fail(unit, label->line, "a case outside of a switch");
    }
    label->flag = unit->token.kind == TOKEN_DEFAULT;
    parse_advance(unit);
    if (!label->flag) {
        label->value = parse_constant(unit);
    }
    parse_expect(unit, TOKEN_COLON);
    add_case(unit, unit->open_switch, label);
    return label;
}

static struct tree *parse_jump(struct unit *unit)
{
    bool is_break = unit->token.kind == TOKEN_BREAK;
    struct tree *statement = statement_of(unit, is_break ? STATEMENT_BREAK : STATEMENT_CONTINUE);
    if (unit->loop_depth == 0 && !(is_break && unit->switch_depth > 0)) {
        unit_fail(unit, statement->line, "%s outside of a loop", token_spelling(unit->token.kind));
    }
    parse_advance(unit);
    parse_expect(unit, TOKEN_SEMICOLON);
    return statement;
}

static struct tree *parse_return(struct unit *unit)
{
    struct tree *statement = statement_of(unit, STATEMENT_RETURN);
    struct type *result = unit->procedure->result;
    parse_advance(unit);
    if (unit->token.kind != TOKEN_SEMICOLON) {
        statement->kids[0] = tree_convert(unit, parse_expression(unit), result);
    } else if (result->kind != TYPE_VOID) {
        unit_fail(unit, statement->line, "a value must be returned");
    }
    parse_expect(unit, TOKEN_SEMICOLON);
    return statement;
}

static struct tree *parse_empty(struct unit *unit)
{
    parse_advance(unit);
    return statement_of(unit, STATEMENT_EMPTY);
}

struct tree *parse_block(struct unit *unit)
{
    struct tree *block = statement_of(unit, STATEMENT_BLOCK);
    struct tree **place = &block->kids[0];
    parse_expect(unit, TOKEN_OPEN_BRACE);
    scope_enter(unit);
    while (unit->token.kind != TOKEN_CLOSE_BRACE) {
        *place = parse_starts_type(unit) ? parse_local_declaration(unit) : parse_statement(unit);
        while (*place != NULL) {
            place = &(*place)->next;
        }
    }
    scope_leave(unit);
    parse_expect(unit, TOKEN_CLOSE_BRACE);
    return block;
}

static struct tree *(*const statement_parsers[TOKEN_KINDS])(struct unit *unit) = {
    [TOKEN_IF] = parse_if,         [TOKEN_WHILE] = parse_while,     [TOKEN_DO] = parse_do,
    [TOKEN_FOR] = parse_for,       [TOKEN_SWITCH] = parse_switch,   [TOKEN_CASE] = parse_case,
    [TOKEN_DEFAULT] = parse_case,  [TOKEN_BREAK] = parse_jump,      [TOKEN_CONTINUE] = parse_jump,
    [TOKEN_RETURN] = parse_return, [TOKEN_SEMICOLON] = parse_empty,
};

static struct tree *parse_statement(struct unit *unit)
{
    enum token_kind kind = unit->token.kind;
    if (statement_parsers[kind] != NULL) {
        return statement_parsers[kind](unit);
    }
    if (kind == TOKEN_OPEN_BRACE) {
        struct tree *outer = unit->open_switch;
        unit->open_switch = NULL;
        struct tree *block = parse_block(unit);
        unit->open_switch = outer;
        return block;
    }
    struct tree *statement = expression_statement(unit, parse_expression(unit));
    parse_expect(unit, TOKEN_SEMICOLON);
    return statement;
}
