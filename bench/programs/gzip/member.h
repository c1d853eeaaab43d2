/* A gzip member: a header, deflated data, and the checksum and size of what was compressed. */
#ifndef GZIP_MEMBER_H
#define GZIP_MEMBER_H

#include "crc.h"
#include "deflate.h"
#include "inflate.h"

enum member_status {
    MEMBER_OK,
    MEMBER_NOT_GZIP,
    MEMBER_UNKNOWN_METHOD,
    MEMBER_DAMAGED,
    MEMBER_WRONG_CRC,
    MEMBER_WRONG_SIZE
};

/* Never more than this many bytes for `size` bytes of input. */
size_t member_bound(size_t size);

/* Returns the size of the member, or 0 if `capacity` is too small. */
size_t member_write(const struct crc *crc, const uint8_t *input, size_t size, unsigned level,
                    uint8_t *member, size_t capacity, struct deflate_counts *counts);

enum member_status member_read(const struct crc *crc, const uint8_t *member, size_t size,
                               struct inflate_output *output);

#endif
