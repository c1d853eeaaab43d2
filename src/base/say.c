/* What Strata tells a person on a terminal: messages and tables. */
#include "base/say.h"

#include "base/check.h"
#include "base/shown.h"

#include <stdlib.h>
#include <string.h>

static size_t count_last_newlines(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && text[length - 1 - count] == '\n') {
        count++;
    }
    return count;
}

/* A line at a time, so that those of several processes do not mix. */
void say_list(FILE *file, const char *format, va_list values)
{
    char *made;
    const int length = vasprintf(&made, format, values);
    ASSERT(length >= 0);
    const size_t before = strspn(format, "\n");
    const size_t after = count_last_newlines(format + before, strlen(format + before));
    const size_t end = (size_t)length - after;
    char *line = malloc((size_t)length * (SHOWN_BYTES - 1) + 1);
    ASSERT(line != NULL);
    char *to = line;
    memcpy(to, made, before);
    to += before;
    for (size_t at = before; at < end;) {
        char shown[SHOWN_BYTES];
        at += shown_take(made + at, end - at, shown);
        to = stpcpy(to, shown);
    }
    memcpy(to, made + end, after);
    to += after;
    fwrite(line, 1, (size_t)(to - line), file);
    free(line);
    free(made);
}

void say(FILE *file, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say_list(file, format, values);
    va_end(values);
}
