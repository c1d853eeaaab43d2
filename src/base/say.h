/* What Strata tells a person on a terminal: messages and tables. */
#ifndef STRATA_BASE_SAY_H
#define STRATA_BASE_SAY_H

#include <stdarg.h>
#include <stdio.h>

/* As fprintf, but control characters and the like in the values are shown (base/shown.h): names come from programs
 * that nobody trusts.  Newlines at both ends of `format` are kept; it has none within. */
void say(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
void say_list(FILE *file, const char *format, va_list values) __attribute__((format(printf, 2, 0)));

#endif
