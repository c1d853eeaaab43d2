/* Decompresses a bzip2 stream. */
#ifndef BZIP_DECOMPRESS_H
#define BZIP_DECOMPRESS_H

#include <stddef.h>
#include "crc.h"

enum decompress_status {
    DECOMPRESS_OK,
    DECOMPRESS_NOT_BZIP,
    DECOMPRESS_BAD_MAGIC,
    DECOMPRESS_BAD_TABLES,
    DECOMPRESS_BAD_DATA,
    DECOMPRESS_WRONG_CRC,
    DECOMPRESS_TRUNCATED,
    DECOMPRESS_OUTPUT_FULL
};

struct decompress_output {
    uint8_t *bytes;
    size_t capacity;
    size_t size;
};

enum decompress_status decompress(const struct crc *crc, const uint8_t *stream, size_t size,
                                  struct decompress_output *output);

#endif
