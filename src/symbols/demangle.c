/* Demangles C++ names with the C++ library of the host, which is loaded when the first such name is met.
 *
 * Loaded and not linked: a shared libstdc++ would add 0.6 ms to every start of the command, about as
 * much as an empty program takes, and most programs have no C++ names.  So there is nothing that a
 * build could find out once and keep: whether names are demangled depends on what is installed when
 * the command runs. */
#include "symbols/demangle.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define CXX_LIBRARY "libstdc++.so.6"

/* Of the Itanium C++ ABI: a malloc'ed string, or NULL. */
typedef char *demangler(const char *name, char *buffer, size_t *bytes, int *status);

/* NULL if there is none.  Asking again finds the library that is loaded already. */
static demangler *find_demangler(void)
{
    void *library = dlopen(CXX_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    void *symbol = library != NULL ? dlsym(library, "__cxa_demangle") : NULL;
    demangler *found = NULL;

    memcpy(&found, &symbol, sizeof found);
    return found;
}

bool demangle_available(void)
{
    return find_demangler() != NULL;
}

char *demangle_name(const char *name)
{
    demangler *demangle = strncmp(name, "_Z", 2) == 0 ? find_demangler() : NULL;
    int status = 0;

    return demangle != NULL ? demangle(name, NULL, NULL, &status) : NULL;
}
