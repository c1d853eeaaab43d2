/* The functions of expressions: over numbers, and over lists of loops or programs. */
#ifndef STRATA_STUDY_LISTS_H
#define STRATA_STUDY_LISTS_H

#include "study/expression.h"

#define LISTS_ARGUMENTS_MAX 8

struct lists_function;

const struct lists_function *lists_find(const char *name);
/* Returns NULL, or what is wrong with the arguments.  *figure: the result was drawn from a list,
 * and so is a figure of its own. */
const char *lists_apply(const struct lists_function *function,
                        const struct expression_value *arguments, unsigned count,
                        struct expression_value *result, bool *figure);

/* The element of `list` whose first member is `key`; NULL if there is none. */
const json_t *lists_element(const json_t *list, const char *key);

#endif
