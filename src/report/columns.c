/* Text that must fit into a column of a table for people: the middle of what is too long is left out.
 *
 * Of a C++ name the beginning says whose it is and the end what it takes; of a source the end is its line. */
#include "report/columns.h"

#include "base/check.h"

#include <stdbool.h>
#include <string.h>

#define ELLIPSIS "..."
#define ELLIPSIS_COLUMNS (sizeof ELLIPSIS - 1)

/* Names are UTF-8, where there are such: bytes after the first of a character take no column. */
static bool continues(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static size_t count_columns(const char *text)
{
    size_t columns = 0;
    for (; *text != '\0'; text++) {
        columns += !continues(*text);
    }
    return columns;
}

/* Where the character of this number begins; a text has no less. */
static const char *find_column(const char *text, size_t column)
{
    for (; *text != '\0'; text++) {
        if (!continues(*text) && column-- == 0) {
            break;
        }
    }
    return text;
}

/* No character is longer than four bytes; bytes that are no UTF-8 may be, and are cut. */
static char *put(char *to, const char *end, const char *from, size_t bytes)
{
    const size_t room = (size_t)(end - to);
    memcpy(to, from, bytes < room ? bytes : room);
    return to + (bytes < room ? bytes : room);
}

void columns_fit(char *to, const char *text, size_t columns)
{
    ASSERT(columns > ELLIPSIS_COLUMNS);
    const char *const end = to + COLUMN_BYTES(columns) - 1;
    const size_t all = count_columns(text);
    if (all <= columns) {
        to = put(to, end, text, strlen(text));
    } else {
        const size_t kept = columns - ELLIPSIS_COLUMNS;
        const char *tail = find_column(text, all - kept / 2);
        to = put(to, end, text, (size_t)(find_column(text, kept - kept / 2) - text));
        to = put(to, end, ELLIPSIS, ELLIPSIS_COLUMNS);
        to = put(to, end, tail, strlen(tail));
    }
    *to = '\0';
}

void columns_fill(char *to, const char *text, size_t columns)
{
    columns_fit(to, text, columns);
    char *end = to + strlen(to);
    const char *const limit = to + COLUMN_BYTES(columns) - 1;
    for (size_t i = count_columns(to); i < columns && end < limit; i++) {
        *end++ = ' ';
    }
    *end = '\0';
}
