/* Types, symbols and trees: what the parser makes of a unit, and the unit itself. */
#ifndef GCC_TREE_H
#define GCC_TREE_H

#include <setjmp.h>

#include "token.h"

enum type_kind {
    TYPE_VOID,
    TYPE_INT,
    TYPE_UNSIGNED,
    TYPE_CHAR,
    TYPE_POINTER,
    TYPE_ARRAY,
    TYPE_STRUCT,
    TYPE_FUNCTION
};

struct field {
    struct field *next;
    struct name *name;
    struct type *type;
    int offset;
};

struct type {
    enum type_kind kind;
    int size;
    int align;
    struct type *base;
    int length;
    struct field *fields;
    struct name *tag;
    /* The types made from this one, so that equal types are the same type. */
    struct type *pointer;
    struct type *arrays;
    struct type *next_array;
};

enum tree_code {
#define TREE(code, text, op, interpret, lower) TREE_##code,
#include "tree.def"
#undef TREE
    TREE_CODES,
    STATEMENT_EXPRESSION = TREE_CODES,
    STATEMENT_IF,
    STATEMENT_LOOP,
    STATEMENT_SWITCH,
    STATEMENT_CASE,
    STATEMENT_BREAK,
    STATEMENT_CONTINUE,
    STATEMENT_RETURN,
    STATEMENT_BLOCK,
    STATEMENT_EMPTY,
    STATEMENT_LIMIT
};

struct block;

struct tree {
    enum tree_code code;
    int value;
    struct type *type;
    struct symbol *symbol;
    struct tree *kids[3];
    /* The next argument of a call, or the next statement. */
    struct tree *next;
    /* The next case of a switch, in the order of the source. */
    struct tree *next_case;
    /* Where a case starts in the lowered code. */
    struct block *block;
    bool flag;
    int line;
};

enum symbol_kind { SYMBOL_VARIABLE, SYMBOL_FUNCTION, SYMBOL_ENUMERATOR, SYMBOL_TAG };

struct symbol {
    enum symbol_kind kind;
    struct name *name;
    struct type *type;
    struct symbol *shadowed;
    struct symbol *next_in_scope;
    int depth;
    bool is_global;
    bool address_taken;
    /* Of a variable: its address, or its offset in the interpreter's frame. */
    int offset;
    /* Of a local variable: its number for the lowering, and its slot if it lives in memory. */
    int number;
    int slot;
    int enumerator;
    struct procedure *procedure;
};

struct symbol_list {
    struct symbol **items;
    int count;
    int capacity;
};

/* A function of the source. */
struct procedure {
    struct symbol *symbol;
    struct type *result;
    struct symbol_list parameters;
    struct symbol_list locals;
    struct tree *body;
    int frame_bytes;
    bool defined;
    /* What the middle and back ends make of it. */
    struct function *function;
    int entry_word;
};

enum { PARAMETER_LIMIT = 6, DATA_START = 4096 };

struct unit {
    struct arena arena;
    struct name_table names;
    struct preprocessor preprocessor;
    struct token token;
    struct type *void_type, *int_type, *unsigned_type, *char_type, *function_type;
    struct symbol *scope[64];
    int depth;
    struct procedure *procedure;
    int loop_depth;
    int switch_depth;
    struct tree *open_switch;
    LIST_OF(struct procedure *) procedures;
    unsigned char *data;
    int data_size;
    int data_capacity;
    int tree_count;
    int token_count;
    LIST_OF(uint32_t) code;
    jmp_buf escape;
    int error_line;
    char error[120];
};

_Noreturn void unit_fail(struct unit *unit, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void types_start(struct unit *unit);
struct type *type_pointer(struct unit *unit, struct type *base);
struct type *type_array(struct unit *unit, struct type *base, int length);
struct type *type_struct(struct unit *unit, struct name *tag);
void type_add_field(struct unit *unit, struct type *type, struct name *name, struct type *field);
void type_finish_struct(struct type *type);
const struct field *type_find_field(const struct type *type, const struct name *name);
bool type_is_scalar(const struct type *type);
bool type_is_integer(const struct type *type);

void scope_enter(struct unit *unit);
void scope_leave(struct unit *unit);
struct symbol *scope_declare(struct unit *unit, enum symbol_kind kind, struct name *name,
                             struct type *type);
struct symbol *scope_declare_tag(struct unit *unit, struct name *name, struct type *type);

/* Builders check the types and fold constants; each returns the tree to use. */
struct tree *tree_make(struct unit *unit, enum tree_code code, struct type *type);
struct tree *tree_constant(struct unit *unit, int value, struct type *type);
struct tree *tree_variable(struct unit *unit, struct symbol *symbol);
struct tree *tree_binary(struct unit *unit, enum tree_code code, struct tree *left,
                         struct tree *right);
struct tree *tree_unary(struct unit *unit, enum tree_code code, struct tree *kid);
struct tree *tree_deref(struct unit *unit, struct tree *pointer);
struct tree *tree_address_of(struct unit *unit, struct tree *kid);
struct tree *tree_index(struct unit *unit, struct tree *array, struct tree *index);
struct tree *tree_field(struct unit *unit, struct tree *object, const struct name *name);
struct tree *tree_assign(struct unit *unit, struct tree *left, struct tree *right);
struct tree *tree_update(struct unit *unit, enum tree_code code, struct tree *left,
                         struct tree *right);
struct tree *tree_postfix(struct unit *unit, struct tree *left, int direction);
struct tree *tree_logical(struct unit *unit, enum tree_code code, struct tree *left,
                          struct tree *right);
struct tree *tree_choose(struct unit *unit, struct tree *condition, struct tree *yes,
                         struct tree *no);
struct tree *tree_convert(struct unit *unit, struct tree *tree, struct type *type);
struct tree *tree_value(struct unit *unit, struct tree *tree);
struct tree *tree_condition(struct unit *unit, struct tree *tree);
const char *tree_operator(enum tree_code code);
struct tree *fold_tree(struct unit *unit, struct tree *tree);
/* Two's complement; dividing by 0 gives 0. */
int fold_binary(enum tree_code code, int left, int right);

struct tree *parse_expression(struct unit *unit);
struct tree *parse_assignment(struct unit *unit);
int parse_constant(struct unit *unit);
struct tree *parse_block(struct unit *unit);
struct type *parse_type(struct unit *unit);
bool parse_starts_type(struct unit *unit);
struct tree *parse_local_declaration(struct unit *unit);
void parse_unit(struct unit *unit);

void parse_advance(struct unit *unit);
bool parse_accept(struct unit *unit, enum token_kind kind);
void parse_expect(struct unit *unit, enum token_kind kind);
struct name *parse_name(struct unit *unit);

#endif
