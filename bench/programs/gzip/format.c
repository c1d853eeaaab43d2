/* The tables of the deflate format. */
#include "format.h"
#include <string.h>

const uint16_t format_length_base[LENGTH_CODES] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                   15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                   67, 83, 99, 115, 131, 163, 195, 227, 258};

const uint8_t format_length_extra[LENGTH_CODES] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                   2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};

const uint16_t format_distance_base[DISTANCE_CODES] = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

const uint8_t format_distance_extra[DISTANCE_CODES] = {0, 0, 0,  0,  1,  1,  2,  2,  3,  3,
                                                       4, 4, 5,  5,  6,  6,  7,  7,  8,  8,
                                                       9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

const uint8_t format_length_order[LENGTH_ORDER_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                         11, 4,  12, 3, 13, 2, 14, 1, 15};

void format_fixed_lengths(uint8_t literals[FIXED_LITERAL_CODES], uint8_t distances[DISTANCE_CODES])
{
    memset(literals, 8, 144);
    memset(literals + 144, 9, 112);
    memset(literals + 256, 7, 24);
    memset(literals + 280, 8, 8);
    memset(distances, 5, DISTANCE_CODES);
}
