/* Demangles with libiberty where it is installed; elsewhere names stay as the compiler wrote them.
 *
 * libiberty and not __cxa_demangle of libstdc++: it is a small static archive, and a shared
 * libstdc++ would be loaded at every start of the command, also to run a program of a few
 * instructions. */
#include "symbols/demangle.h"

#include <stddef.h>
#include <string.h>

#if __has_include(<libiberty/demangle.h>)

#include <libiberty/demangle.h>

bool demangle_available(void)
{
    return true;
}

char *demangle_name(const char *name)
{
    return strncmp(name, "_Z", 2) == 0 ? cplus_demangle_v3(name, DMGL_PARAMS | DMGL_ANSI) : NULL;
}

#else

bool demangle_available(void)
{
    return false;
}

char *demangle_name(const char *name)
{
    (void)name;
    return NULL;
}

#endif
