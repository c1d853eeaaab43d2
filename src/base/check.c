/* Reports a broken invariant of the hosted program and stops it. */
#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void check_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "strata: internal error: %s (%s:%d)\n", condition, file, line);
    abort();
}
