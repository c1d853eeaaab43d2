/* Text that grows as it is printed. */
#ifndef BENCH_TEXT_H
#define BENCH_TEXT_H

#include <stdarg.h>
#include <stddef.h>

enum { TEXT_PIECE_BYTES = 256 }; /* what is printed at once is shorter */

struct text {
    char *bytes; /* the owner frees them */
    size_t used, space;
};

void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_print_list(struct text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

#endif
