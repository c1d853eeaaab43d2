/* CRC-32 by a table of bytes. */
#include "crc.h"

void crc_init(struct crc *crc)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t value = byte;
        for (unsigned bit = 0; bit < 8; bit++) {
            value = value >> 1 ^ ((value & 1) != 0 ? UINT32_C(0xedb88320) : 0);
        }
        crc->table[byte] = value;
    }
}

uint32_t crc_update(const struct crc *crc, uint32_t value, const uint8_t *bytes, size_t count)
{
    value = ~value;
    for (size_t i = 0; i < count; i++) {
        value = crc->table[(value ^ bytes[i]) & 0xff] ^ value >> 8;
    }
    return ~value;
}
