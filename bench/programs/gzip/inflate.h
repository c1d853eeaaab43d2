/* Decompresses the deflate format. */
#ifndef GZIP_INFLATE_H
#define GZIP_INFLATE_H

#include "bits.h"
#include "crc.h"

enum inflate_status {
    INFLATE_OK,
    INFLATE_BAD_BLOCK_TYPE,
    INFLATE_BAD_STORED_LENGTH,
    INFLATE_BAD_CODE,
    INFLATE_BAD_DISTANCE,
    INFLATE_TRUNCATED,
    INFLATE_OUTPUT_FULL
};

struct inflate_output {
    uint8_t *bytes;
    size_t capacity;
    size_t size;
    uint32_t crc;
};

enum inflate_status inflate(struct bit_reader *reader, const struct crc *crc,
                            struct inflate_output *output);

#endif
