/* C++ names as a person writes them. */
#ifndef STRATA_SYMBOLS_DEMANGLE_H
#define STRATA_SYMBOLS_DEMANGLE_H

#include <stdbool.h>

/* Whether this build can demangle at all: it was built where libiberty is installed. */
bool demangle_available(void);

/* A string to free, or NULL if `name` is not mangled or this build cannot demangle. */
char *demangle_name(const char *name);

#endif
