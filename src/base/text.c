/* Text in a buffer of fixed size, without libc. */
#include "base/text.h"

/* Digits of the largest 64-bit number in base 10. */
#define MAX_DIGITS 20u

void text_begin(struct text *text, char *buffer, size_t size)
{
    text->buffer = buffer;
    text->size = size;
    text->length = 0;
    if (size > 0) {
        buffer[0] = '\0';
    }
}

void text_put_char(struct text *text, char c)
{
    if (text->length + 1 < text->size) {
        text->buffer[text->length] = c;
        text->buffer[text->length + 1] = '\0';
    }
    text->length++;
}

void text_put_string(struct text *text, const char *string)
{
    for (; *string != '\0'; string++) {
        text_put_char(text, *string);
    }
}

static void put_number(struct text *text, uint64_t value, unsigned base, unsigned min_digits)
{
    char digits[MAX_DIGITS];
    unsigned count = 0;

    do {
        digits[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    for (unsigned i = count; i < min_digits; i++) {
        text_put_char(text, '0');
    }
    while (count > 0) {
        text_put_char(text, digits[--count]);
    }
}

void text_put_unsigned(struct text *text, uint64_t value)
{
    put_number(text, value, 10, 1);
}

void text_put_decimal(struct text *text, int64_t value)
{
    uint64_t magnitude = (uint64_t)value;

    if (value < 0) {
        text_put_char(text, '-');
        magnitude = 0 - magnitude;
    }
    text_put_unsigned(text, magnitude);
}

void text_put_hex(struct text *text, uint64_t value, unsigned min_digits)
{
    put_number(text, value, 16, min_digits);
}
