/* The checksum of a block, most significant bit first, and how those of blocks are combined. */
#ifndef BZIP_CRC_H
#define BZIP_CRC_H

#include <stdint.h>

struct crc {
    uint32_t table[256];
};

#define CRC_START UINT32_MAX

void crc_init(struct crc *crc);

static inline uint32_t crc_add(const struct crc *crc, uint32_t value, uint8_t byte)
{
    return value << 8 ^ crc->table[value >> 24 ^ byte];
}

static inline uint32_t crc_end(uint32_t value)
{
    return ~value;
}

static inline uint32_t crc_combine(uint32_t stream, uint32_t block)
{
    return (stream << 1 | stream >> 31) ^ block;
}

#endif
