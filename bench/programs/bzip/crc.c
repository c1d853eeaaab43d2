/* The table of the checksum. */
#include "crc.h"

void crc_init(struct crc *crc)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t value = byte << 24;
        for (unsigned bit = 0; bit < 8; bit++) {
            value = value << 1 ^ ((value & UINT32_C(0x80000000)) != 0 ? UINT32_C(0x04c11db7) : 0);
        }
        crc->table[byte] = value;
    }
}
