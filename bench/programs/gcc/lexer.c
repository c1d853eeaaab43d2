/* Turns characters into tokens. */
#include "tree.h"

enum { CLASS_OTHER, CLASS_SPACE, CLASS_LETTER, CLASS_DIGIT, CLASS_NEWLINE, CLASS_QUOTE, CLASS_END };

static unsigned char classes[256];
static unsigned char first_punctuator[256];

static const struct {
    const char *text;
    int length;
    enum token_kind kind;
} punctuators[] = {
#define PUNCTUATOR(name, text) {text, (int)sizeof(text) - 1, TOKEN_##name},
#define KEYWORD(name, text)
#include "token.def"
#undef PUNCTUATOR
#undef KEYWORD
};

enum { PUNCTUATORS = sizeof punctuators / sizeof punctuators[0] };

static void lexer_fill_tables(void)
{
    for (int c = 'a'; c <= 'z'; c++) {
        classes[c] = CLASS_LETTER;
        classes[c - 'a' + 'A'] = CLASS_LETTER;
    }
    for (int c = '0'; c <= '9'; c++) {
        classes[c] = CLASS_DIGIT;
    }
    classes['_'] = CLASS_LETTER;
    classes[' '] = classes['\t'] = CLASS_SPACE;
    classes['\n'] = CLASS_NEWLINE;
    classes['\''] = CLASS_QUOTE;
    classes[0] = CLASS_END;
    for (int i = PUNCTUATORS - 1; i >= 0; i--) {
        first_punctuator[(unsigned char)punctuators[i].text[0]] = (unsigned char)(i + 1);
    }
}

const char *token_spelling(enum token_kind kind)
{
    static const char *const spellings[TOKEN_KINDS] = {
        [TOKEN_END] = "the end",
        [TOKEN_NAME] = "a name",
        [TOKEN_NUMBER] = "a number",
        [TOKEN_NEWLINE] = "a new line",
#define PUNCTUATOR(name, text) [TOKEN_##name] = text,
#define KEYWORD(name, text) [TOKEN_##name] = text,
#include "token.def"
#undef PUNCTUATOR
#undef KEYWORD
    };
    return spellings[kind];
}

static void lexer_skip_comment(struct unit *unit, struct lexer *lexer)
{
    int start = lexer->line;
    const char *p = lexer->position + 2;
    while (*p != 0 && !(p[0] == '*' && p[1] == '/')) {
        lexer->line += *p == '\n';
        p++;
    }
    if (*p == 0) {
        unit_fail(unit, start, "comment without end");
    }
    lexer->position = p + 2;
}

static void lexer_skip_space(struct unit *unit, struct lexer *lexer)
{
    for (;;) {
        const char *p = lexer->position;
        if (classes[(unsigned char)*p] == CLASS_SPACE) {
            lexer->position++;
        } else if (p[0] == '/' && p[1] == '*') {
            lexer_skip_comment(unit, lexer);
        } else if (p[0] == '/' && p[1] == '/') {
            while (*lexer->position != 0 && *lexer->position != '\n') {
                lexer->position++;
            }
        } else if (p[0] == '\\' && p[1] == '\n') {
            lexer->position += 2;
            lexer->line++;
        } else {
            return;
        }
    }
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 32);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

static void lexer_number(struct unit *unit, struct lexer *lexer, struct token *token)
{
    const char *p = lexer->position;
    int base = 10;
    uint64_t value = 0;
    if (p[0] == '0' && (p[1] | 32) == 'x') {
        base = 16;
        p += 2;
    }
    for (; digit_value(*p) < base; p++) {
        value = value * (uint64_t)base + (uint64_t)digit_value(*p);
        if (value > UINT32_MAX) {
            unit_fail(unit, lexer->line, "number out of range");
        }
    }
    token->is_unsigned = value > INT32_MAX;
    if ((*p | 32) == 'u') {
        token->is_unsigned = true;
        p++;
    }
    if (classes[(unsigned char)*p] == CLASS_LETTER) {
        unit_fail(unit, lexer->line, "bad number");
    }
    token->kind = TOKEN_NUMBER;
    token->value = (int)(uint32_t)value;
    lexer->position = p;
}

static void lexer_character(struct unit *unit, struct lexer *lexer, struct token *token)
{
    const char *p = lexer->position + 1;
    token->kind = TOKEN_NUMBER;
    token->value = (unsigned char)*p;
    if (*p == '\\') {
        static const char escapes[] = "n\nt\t0\0r\r";
        p++;
        token->value = (unsigned char)*p;
        for (int i = 0; i < 8; i += 2) {
            if (escapes[i] == *p) {
                token->value = escapes[i + 1];
            }
        }
    }
    if (*p == 0 || p[1] != '\'') {
        unit_fail(unit, lexer->line, "character constant without end");
    }
    lexer->position = p + 2;
}

static void lexer_word(struct unit *unit, struct lexer *lexer, struct token *token)
{
    const char *start = lexer->position;
    const char *p = start;
    while (classes[(unsigned char)*p] == CLASS_LETTER ||
           classes[(unsigned char)*p] == CLASS_DIGIT) {
        p++;
    }
    token->name = names_intern(&unit->arena, &unit->names, start, (int)(p - start));
    token->kind = token->name->kind;
    lexer->position = p;
}

static void lexer_punctuator(struct unit *unit, struct lexer *lexer, struct token *token)
{
    const char *p = lexer->position;
    int i = first_punctuator[(unsigned char)*p] - 1;
    for (; i >= 0 && i < PUNCTUATORS && punctuators[i].text[0] == *p; i++) {
        if (strncmp(punctuators[i].text, p, (size_t)punctuators[i].length) == 0) {
            token->kind = punctuators[i].kind;
            lexer->position += punctuators[i].length;
            return;
        }
    }
    unit_fail(unit, lexer->line, "stray character %d", *p);
}

struct token lexer_next(struct unit *unit, struct lexer *lexer)
{
    struct token token = {0};
    if (classes['a'] == 0) {
        lexer_fill_tables();
    }
    lexer_skip_space(unit, lexer);
    token.line = lexer->line;
    switch (classes[(unsigned char)*lexer->position]) {
    case CLASS_LETTER:
        lexer_word(unit, lexer, &token);
        break;
    case CLASS_DIGIT:
        lexer_number(unit, lexer, &token);
        break;
    case CLASS_QUOTE:
        lexer_character(unit, lexer, &token);
        break;
    case CLASS_NEWLINE:
        token.kind = TOKEN_NEWLINE;
        lexer->position++;
        lexer->line++;
        break;
    case CLASS_END:
        token.kind = TOKEN_END;
        break;
    default:
        lexer_punctuator(unit, lexer, &token);
        break;
    }
    return token;
}
