/* The CRC-32 that gzip members carry. */
#ifndef GZIP_CRC_H
#define GZIP_CRC_H

#include <stddef.h>
#include <stdint.h>

struct crc {
    uint32_t table[256];
};

void crc_init(struct crc *crc);

/* Starts with `value` 0 and goes on with what an earlier call returned. */
uint32_t crc_update(const struct crc *crc, uint32_t value, const uint8_t *bytes, size_t count);

#endif
