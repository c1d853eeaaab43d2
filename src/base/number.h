/* Numbers as people write them in options and files: the one place that reads them, without libc. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* What K, M and G behind a number stand for. */
enum number_scale {
    NUMBER_PLAIN, /* nothing: there may be no letter */
    NUMBER_COUNT, /* thousands, millions and milliards, of what is counted */
    NUMBER_SIZE,  /* 2^10, 2^20 and 2^30, of bytes and entries */
};

/* Reads the number that `text` begins with: decimal, or hexadecimal behind 0x (without a letter then), no sign, no
 * space.  Returns what follows it, or NULL if there is none or it has more than 64 bits. */
const char *number_take(const char *text, enum number_scale scale, uint64_t *value);

/* False if `text` is anything but one such number, or that is not from `lowest` to `highest`. */
bool number_read(const char *text, enum number_scale scale, uint64_t lowest, uint64_t highest,
                 uint64_t *value);

/* Hexadecimal, with 0x or without: an address. */
bool number_read_hex(const char *text, uint64_t *value);

#endif
