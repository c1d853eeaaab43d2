/* Decompresses a bzip2 stream. */
#ifndef BZIP_DECOMPRESS_H
#define BZIP_DECOMPRESS_H

#include "codec.h"
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

enum decompress_status decompress(const struct crc *crc, const uint8_t *stream, size_t size,
                                  struct codec_output *output);

#endif
