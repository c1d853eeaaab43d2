/* The source that is compiled: random functions and variations of well-known ones, the same on every host. */
#ifndef GCC_GENERATE_H
#define GCC_GENERATE_H

#include "base.h"
#include "text.h"

enum { POOL_ITEMS = 32, TABLES = 6, GLOBALS = 8, ROUTINE_LIMIT = 512 };

struct routine {
    int parameter_count;
    bool takes_pointer;
    bool takes_item;
    int cost;
};

struct generator {
    uint64_t random;
    struct text text;
    int indent;
    int line_count;
    struct routine routines[ROUTINE_LIMIT];
    int routine_count;
    /* The function that is being written. */
    int local_count;
    int parameter_count;
    int loop_count;
    int open_loops[8];
    int open_loop_count;
    bool in_for;
    bool in_switch;
    bool has_buffer;
    bool has_pointer;
    bool has_item;
    int weight;
    int cost;
    int statements_left;
};

/* One kind of statement or expression; of all kinds of a list, this share. */
struct kind {
    int share;
    void (*write)(struct generator *g, int depth);
};

char *generate_unit(uint64_t seed, int functions, int statements, int *lines);

void emit(struct generator *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void emit_line(struct generator *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Each line ends with \n. */
void emit_lines(struct generator *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
int roll(struct generator *g, int limit);
int table_length(int table);

/* Writes one of the list, whose shares add up to `shares`. */
void generate_kind(struct generator *g, const struct kind *kinds, int shares, int depth);
void generate_expression(struct generator *g, int depth);
void generate_condition(struct generator *g, int depth);
void generate_place(struct generator *g);
bool generate_call(struct generator *g, int depth);
void generate_template(struct generator *g, int index);
void generate_random_function(struct generator *g, int index, int statements);

#endif
