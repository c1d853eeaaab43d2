/* Names, tokens and macros: what the lexer and the preprocessor hand to the parser. */
#ifndef GCC_TOKEN_H
#define GCC_TOKEN_H

#include "base.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_NEWLINE,
#define PUNCTUATOR(name, text) TOKEN_##name,
#define KEYWORD(name, text) TOKEN_##name,
#include "token.def"
#undef PUNCTUATOR
#undef KEYWORD
    TOKEN_KINDS
};

struct symbol;
struct macro;

/* There is one for each spelling, so names are compared by address. */
struct name {
    struct name *next;
    const char *text;
    int length;
    uint32_t hash;
    enum token_kind kind;
    struct macro *macro;
    struct symbol *symbol;
    struct symbol *tag;
};

struct name_table {
    struct name **buckets;
    uint32_t bucket_count;
    int count;
};

struct token {
    enum token_kind kind;
    int line;
    int value;
    bool is_unsigned;
    /* Set on a macro's own name inside its expansion: never expanded again. */
    bool painted;
    struct name *name;
};

struct token_list {
    struct token *items;
    int count;
    int capacity;
};

struct macro {
    struct name *name;
    struct token_list body;
    struct name **parameters;
    int parameter_count;
    bool is_function;
    bool active;
};

struct unit;

void names_start(struct arena *arena, struct name_table *table);
struct name *names_intern(struct arena *arena, struct name_table *table, const char *text,
                          int length);

struct lexer {
    const char *position;
    int line;
    bool line_start;
};

/* Newlines are tokens: directives end with them. */
struct token lexer_next(struct unit *unit, struct lexer *lexer);
const char *token_spelling(enum token_kind kind);

/* One macro expansion, or the argument of one, that is being read. */
struct expansion {
    struct expansion *outer;
    struct token_list tokens;
    int next;
    struct macro *macro;
    bool barrier;
};

struct preprocessor {
    struct lexer lexer;
    struct expansion *expansion;
    int if_depth;
    int expansion_count;
    int directive_count;
};

void preprocess_start(struct unit *unit, const char *source);
struct token preprocess_next(struct unit *unit);

#endif
