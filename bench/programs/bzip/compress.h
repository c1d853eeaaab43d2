/* Compresses memory into a bzip2 stream. */
#ifndef BZIP_COMPRESS_H
#define BZIP_COMPRESS_H

#include "crc.h"
#include "sort.h"

struct compress_counts {
    uint32_t blocks;
    struct sort_counts sorts;
};

/* Returns the size of the stream, or 0 if `capacity` is too small. */
size_t compress(const struct crc *crc, const uint8_t *input, size_t size, unsigned level,
                uint8_t *stream, size_t capacity, struct compress_counts *counts);

#endif
