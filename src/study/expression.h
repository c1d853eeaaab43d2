/* Arithmetic over the statistics of runs, as experiment files write it. */
#ifndef STRATA_STUDY_EXPRESSION_H
#define STRATA_STUDY_EXPRESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define EXPRESSION_WORD_BYTES 64
#define EXPRESSION_PROBLEM_BYTES 160

/* What is not known stays unknown through all arithmetic, and is never 0. */
struct expression_value {
    enum { EXPRESSION_UNKNOWN, EXPRESSION_NUMBER, EXPRESSION_NODE } kind;
    double number;
    const json_t *node; /* a list or an object: what functions and paths take */
};

/* `NAME of OF at AT`; the last two are empty where they are not written. */
struct expression_name {
    char name[EXPRESSION_WORD_BYTES];
    char of[EXPRESSION_WORD_BYTES];
    char at[EXPRESSION_WORD_BYTES];
};

/* How far the path behind a name could be followed. */
enum expression_path {
    PATH_WHOLE,      /* to its end */
    PATH_UNKNOWN,    /* to something that is not known, or an element that a list does not have */
    PATH_LACKS_PART, /* nowhere: what the name stands for has no such member */
    PATH_LACKS_KEY,  /* to an object further in that has no such member */
};

/* What names stand for, which is the caller's to say. */
struct expression_scope {
    void *context;
    /* Returns NULL, or what is wrong with the name. */
    const char *(*find)(void *context, const struct expression_name *name,
                        struct expression_value *value);
    /* Told of each figure that goes into the result, as it was written; may be NULL. */
    void (*note)(void *context, const char *text, size_t length, struct expression_value value);
    /* Told of each path, as it was written with its name; may be NULL. */
    void (*follow)(void *context, const char *text, size_t length, enum expression_path path);
};

struct expression_value expression_number(double number); /* unknown if it is not finite */
struct expression_value expression_of_json(const json_t *node);
json_t *expression_to_json(struct expression_value value); /* whole numbers as integers */

/* The result is a number or unknown.  False if `text` is no expression, or uses a list or an object as a number, with
 * the reason. */
bool expression_evaluate(const char *text, const struct expression_scope *scope,
                         struct expression_value *result, char problem[EXPRESSION_PROBLEM_BYTES]);

#endif
