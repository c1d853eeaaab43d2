/* Text in a buffer of fixed size, without libc. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Text under construction.  `length` counts all that was put, even what did not fit; the buffer
 * ends with a zero after each call, unless its size is 0. */
struct text {
    char *buffer;
    size_t size;
    size_t length;
};

void text_begin(struct text *text, char *buffer, size_t size);
void text_put_char(struct text *text, char c);
void text_put_string(struct text *text, const char *string);
void text_put_decimal(struct text *text, int64_t value);
void text_put_unsigned(struct text *text, uint64_t value);

/* Hexadecimal in lower case without 0x, with zeros in front up to `min_digits`. */
void text_put_hex(struct text *text, uint64_t value, unsigned min_digits);

#endif
