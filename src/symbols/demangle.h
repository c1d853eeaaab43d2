/* C++ names as a person writes them. */
#ifndef STRATA_SYMBOLS_DEMANGLE_H
#define STRATA_SYMBOLS_DEMANGLE_H

#include <stdbool.h>

/* Whether names can be demangled at all: the host has the C++ library. */
bool demangle_available(void);

/* A string to free, or NULL if `name` is not mangled or cannot be demangled. */
char *demangle_name(const char *name);

#endif
