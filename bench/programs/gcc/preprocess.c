/* The preprocessor: macros with and without arguments, and conditional parts. */
#include "tree.h"

static struct token preprocess_expand(struct unit *unit);

void preprocess_start(struct unit *unit, const char *source)
{
    memset(&unit->preprocessor, 0, sizeof unit->preprocessor);
    unit->preprocessor.lexer = (struct lexer){source, 1, true};
}

static struct token raw_next(struct unit *unit)
{
    return lexer_next(unit, &unit->preprocessor.lexer);
}

static void skip_line(struct unit *unit)
{
    struct token token;
    do {
        token = raw_next(unit);
    } while (token.kind != TOKEN_NEWLINE && token.kind != TOKEN_END);
}

static struct name *directive_name(struct unit *unit)
{
    struct token token = raw_next(unit);
    if (token.name == NULL) {
        unit_fail(unit, token.line, "a directive without a name");
    }
    return token.name;
}

static void read_parameters(struct unit *unit, struct macro *macro)
{
    LIST_OF(struct name *) names = {0};
    struct token token = raw_next(unit);
    while (token.kind == TOKEN_NAME) {
        list_push(&unit->arena, &names, token.name);
        token = raw_next(unit);
        if (token.kind == TOKEN_COMMA) {
            token = raw_next(unit);
        }
    }
    if (token.kind != TOKEN_CLOSE) {
        unit_fail(unit, token.line, "macro parameters without end");
    }
    macro->parameters = names.items;
    macro->parameter_count = names.count;
}

static void define_macro(struct unit *unit)
{
    struct macro *macro = arena_take(&unit->arena, sizeof *macro);
    macro->name = directive_name(unit);
    if (*unit->preprocessor.lexer.position == '(') {
        raw_next(unit);
        macro->is_function = true;
        read_parameters(unit, macro);
    }
    struct token token = raw_next(unit);
    while (token.kind != TOKEN_NEWLINE && token.kind != TOKEN_END) {
        list_push(&unit->arena, &macro->body, token);
        token = raw_next(unit);
    }
    macro->name->macro = macro;
}

/* Skips to the matching #else or #endif. */
static void skip_group(struct unit *unit, bool stop_at_else)
{
    int depth = 0;
    for (;;) {
        struct token token = raw_next(unit);
        if (token.kind == TOKEN_END) {
            unit_fail(unit, token.line, "#if without #endif");
        }
        if (token.kind != TOKEN_HASH) {
            if (token.kind != TOKEN_NEWLINE) {
                skip_line(unit);
            }
            continue;
        }
        const char *word = directive_name(unit)->text;
        skip_line(unit);
        if (strncmp(word, "if", 2) == 0) {
            depth++;
        } else if (strcmp(word, "endif") == 0 && depth-- == 0) {
            unit->preprocessor.if_depth--;
            return;
        } else if (strcmp(word, "else") == 0 && depth == 0 && stop_at_else) {
            return;
        }
    }
}

static void directive_define(struct unit *unit)
{
    define_macro(unit);
}

static void directive_undef(struct unit *unit)
{
    directive_name(unit)->macro = NULL;
    skip_line(unit);
}

static void directive_condition(struct unit *unit, bool wanted)
{
    bool defined = directive_name(unit)->macro != NULL;
    skip_line(unit);
    unit->preprocessor.if_depth++;
    if (defined != wanted) {
        skip_group(unit, true);
    }
}

static void directive_ifdef(struct unit *unit)
{
    directive_condition(unit, true);
}

static void directive_ifndef(struct unit *unit)
{
    directive_condition(unit, false);
}

static void directive_else(struct unit *unit)
{
    skip_line(unit);
    skip_group(unit, false);
}

static void directive_endif(struct unit *unit)
{
    if (unit->preprocessor.if_depth-- == 0) {
        unit_fail(unit, unit->preprocessor.lexer.line, "#endif without #if");
    }
    skip_line(unit);
}

static const struct {
    const char *name;
    void (*run)(struct unit *unit);
} directives[] = {
    {"define", directive_define}, {"undef", directive_undef}, {"ifdef", directive_ifdef},
    {"ifndef", directive_ifndef}, {"else", directive_else},   {"endif", directive_endif},
};

static void run_directive(struct unit *unit)
{
    const struct name *name = directive_name(unit);
    for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++) {
        if (strcmp(directives[i].name, name->text) == 0) {
            unit->preprocessor.directive_count++;
            directives[i].run(unit);
            return;
        }
    }
    unit_fail(unit, unit->preprocessor.lexer.line, "unknown directive %.40s", name->text);
}

static struct token file_next(struct unit *unit)
{
    for (;;) {
        struct lexer *lexer = &unit->preprocessor.lexer;
        bool line_start = lexer->line_start;
        struct token token = raw_next(unit);
        lexer->line_start = token.kind == TOKEN_NEWLINE;
        if (token.kind == TOKEN_HASH && line_start) {
            run_directive(unit);
            lexer->line_start = true;
        } else if (token.kind != TOKEN_NEWLINE) {
            return token;
        }
    }
}

static void push_expansion(struct unit *unit, struct token_list tokens, struct macro *macro)
{
    struct expansion *expansion = arena_take(&unit->arena, sizeof *expansion);
    expansion->outer = unit->preprocessor.expansion;
    expansion->tokens = tokens;
    expansion->macro = macro;
    expansion->barrier = macro == NULL;
    if (macro != NULL) {
        macro->active = true;
    }
    unit->preprocessor.expansion = expansion;
}

static struct token source_next(struct unit *unit)
{
    for (;;) {
        struct expansion *expansion = unit->preprocessor.expansion;
        if (expansion == NULL) {
            return file_next(unit);
        }
        if (expansion->next < expansion->tokens.count) {
            return expansion->tokens.items[expansion->next++];
        }
        if (expansion->barrier) {
            return (struct token){.kind = TOKEN_END};
        }
        expansion->macro->active = false;
        unit->preprocessor.expansion = expansion->outer;
    }
}

static bool next_is_open(struct unit *unit)
{
    for (struct expansion *e = unit->preprocessor.expansion; e != NULL; e = e->outer) {
        if (e->next < e->tokens.count) {
            return e->tokens.items[e->next].kind == TOKEN_OPEN;
        }
        if (e->barrier) {
            return false;
        }
    }
    const char *p = unit->preprocessor.lexer.position;
    while (*p == ' ' || *p == '\n') {
        p++;
    }
    return *p == '(';
}

/* An argument is expanded on its own before it replaces the parameter. */
static struct token_list expand_argument(struct unit *unit, struct token_list raw)
{
    struct token_list result = {0};
    push_expansion(unit, raw, NULL);
    for (;;) {
        struct token token = preprocess_expand(unit);
        if (token.kind == TOKEN_END) {
            break;
        }
        list_push(&unit->arena, &result, token);
    }
    unit->preprocessor.expansion = unit->preprocessor.expansion->outer;
    return result;
}

static struct token_list *read_arguments(struct unit *unit, const struct macro *macro, int line)
{
    struct token_list *arguments =
        arena_array(&unit->arena, macro->parameter_count, sizeof *arguments);
    int index = 0;
    int depth = 0;
    source_next(unit);
    for (;;) {
        struct token token = source_next(unit);
        if (token.kind == TOKEN_END) {
            unit_fail(unit, line, "arguments of macro %.40s without end", macro->name->text);
        }
        if (token.kind == TOKEN_CLOSE && depth-- == 0) {
            break;
        }
        if (token.kind == TOKEN_COMMA && depth == 0) {
            index++;
            continue;
        }
        depth += token.kind == TOKEN_OPEN;
        if (index >= macro->parameter_count) {
            break;
        }
        list_push(&unit->arena, &arguments[index], token);
    }
    if (index + 1 != macro->parameter_count && macro->parameter_count != 0) {
        unit_fail(unit, line, "macro %.40s needs %d arguments", macro->name->text,
                  macro->parameter_count);
    }
    for (int i = 0; i < macro->parameter_count; i++) {
        arguments[i] = expand_argument(unit, arguments[i]);
    }
    return arguments;
}

static int parameter_index(const struct macro *macro, const struct name *name)
{
    for (int i = 0; i < macro->parameter_count; i++) {
        if (macro->parameters[i] == name) {
            return i;
        }
    }
    return -1;
}

static void expand_macro(struct unit *unit, struct macro *macro, int line)
{
    struct token_list result = {0};
    struct token_list *arguments = macro->is_function ? read_arguments(unit, macro, line) : NULL;
    for (int i = 0; i < macro->body.count; i++) {
        struct token token = macro->body.items[i];
        int index = token.kind == TOKEN_NAME ? parameter_index(macro, token.name) : -1;
        if (index < 0) {
            token.line = line;
            list_push(&unit->arena, &result, token);
            continue;
        }
        for (int k = 0; k < arguments[index].count; k++) {
            list_push(&unit->arena, &result, arguments[index].items[k]);
        }
    }
    unit->preprocessor.expansion_count++;
    push_expansion(unit, result, macro);
}

static struct token preprocess_expand(struct unit *unit)
{
    for (;;) {
        struct token token = source_next(unit);
        if (token.kind != TOKEN_NAME || token.name->macro == NULL || token.painted) {
            return token;
        }
        struct macro *macro = token.name->macro;
        if (macro->active) {
            token.painted = true;
            return token;
        }
        if (macro->is_function && !next_is_open(unit)) {
            return token;
        }
        expand_macro(unit, macro, token.line);
    }
}

struct token preprocess_next(struct unit *unit)
{
    unit->token_count++;
    return preprocess_expand(unit);
}
