/* Compresses memory into the deflate format at a level from 1 (fast) to 9 (small). */
#ifndef GZIP_DEFLATE_H
#define GZIP_DEFLATE_H

#include "bits.h"

enum { DEFLATE_LEVELS = 9 };

struct deflate_counts {
    uint32_t blocks[3]; /* by type */
    uint64_t candidates;
};

void deflate(struct bit_writer *writer, const uint8_t *input, size_t size, unsigned level,
             struct deflate_counts *counts);

#endif
