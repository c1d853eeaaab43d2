/* Demangles with libiberty where it is installed; elsewhere names stay as the compiler wrote them.
 *
 * libiberty and not __cxa_demangle of libstdc++: it is a small static archive, while a shared
 * libstdc++ would add 0.6 ms to every start of the command, about as much as an empty program
 * takes. */
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
