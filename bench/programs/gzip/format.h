/* What compressor and decompressor must agree on: the deflate format's alphabets (RFC 1951). */
#ifndef GZIP_FORMAT_H
#define GZIP_FORMAT_H

#include <stdint.h>

enum {
    WINDOW_BYTES = 32768,
    MATCH_MIN = 3,
    MATCH_MAX = 258,
    LITERALS = 256,
    END_OF_BLOCK = 256,
    LENGTH_CODES = 29,
    LITERAL_CODES = LITERALS + 1 + LENGTH_CODES,
    FIXED_LITERAL_CODES = 288,
    DISTANCE_CODES = 30,
    CODE_BITS_MAX = 15,
    LENGTH_ORDER_CODES = 19,
    LENGTH_CODE_BITS_MAX = 7,
    STORED_MAX = 65535
};

enum block_type { BLOCK_STORED, BLOCK_FIXED, BLOCK_DYNAMIC };

/* The alphabet of code lengths: 0 to 15 are lengths, these repeat. */
enum { REPEAT_PREVIOUS = 16, REPEAT_ZERO_SHORT = 17, REPEAT_ZERO_LONG = 18 };

extern const uint16_t format_length_base[LENGTH_CODES];
extern const uint8_t format_length_extra[LENGTH_CODES];
extern const uint16_t format_distance_base[DISTANCE_CODES];
extern const uint8_t format_distance_extra[DISTANCE_CODES];
extern const uint8_t format_length_order[LENGTH_ORDER_CODES];

void format_fixed_lengths(uint8_t literals[FIXED_LITERAL_CODES], uint8_t distances[DISTANCE_CODES]);

#endif
