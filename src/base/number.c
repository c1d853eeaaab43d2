/* Numbers as people write them in options and files, without libc. */
#include "base/number.h"

#include <stddef.h>

/* The digit's value; 16 and more if `c` is none of base 16. */
static unsigned digit_value(char c)
{
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                  : 16;
}

static const char *take_digits(const char *text, unsigned base, uint64_t *value)
{
    const char *at = text;
    uint64_t sum = 0;

    for (unsigned digit; (digit = digit_value(*at)) < base; at++) {
        if (__builtin_mul_overflow(sum, base, &sum) || __builtin_add_overflow(sum, digit, &sum)) {
            return NULL;
        }
    }
    *value = sum;
    return at == text ? NULL : at;
}

static bool has_prefix(const char *text)
{
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

/* How often the scale's thousand is taken for a letter: 0 if it is none. */
static unsigned letter_power(char letter)
{
    return letter == 'K' ? 1 : letter == 'M' ? 2 : letter == 'G' ? 3 : 0;
}

const char *number_take(const char *text, enum number_scale scale, uint64_t *value)
{
    if (has_prefix(text)) {
        return take_digits(text + 2, 16, value);
    }
    const char *end = take_digits(text, 10, value);
    const unsigned power = end != NULL && scale != NUMBER_PLAIN ? letter_power(*end) : 0;
    for (unsigned i = 0; i < power; i++) {
        if (__builtin_mul_overflow(*value, scale == NUMBER_SIZE ? 1024u : 1000u, value)) {
            return NULL;
        }
    }
    return power > 0 ? end + 1 : end;
}

bool number_read(const char *text, enum number_scale scale, uint64_t lowest, uint64_t highest,
                 uint64_t *value)
{
    uint64_t number;
    const char *end = number_take(text, scale, &number);

    if (end == NULL || *end != '\0' || number < lowest || number > highest) {
        return false;
    }
    *value = number;
    return true;
}

bool number_read_hex(const char *text, uint64_t *value)
{
    const char *end = take_digits(has_prefix(text) ? text + 2 : text, 16, value);

    return end != NULL && *end == '\0';
}
