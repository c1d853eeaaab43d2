/* What compressor and decompressor must agree on: the numbers of the bzip2 format. */
#ifndef BZIP_FORMAT_H
#define BZIP_FORMAT_H

#include <stddef.h>
#include <stdint.h>

enum {
    BLOCK_UNIT = 100000, /* bytes of a block per level */
    BLOCK_RESERVE = 19,  /* a block is closed so early that its last run fits */
    LEVELS = 9,
    RUN_MIN = 4, /* equal bytes before a count */
    RUN_MAX = 255,
    SYMBOLS_MAX = 258, /* two for runs of zero, 255 positions, the end */
    RUN_A = 0,
    RUN_B = 1,
    TABLES_MIN = 2,
    TABLES_MAX = 6,
    GROUP_SYMBOLS = 50, /* symbols that share a selector */
    SELECTORS_MAX = 2 + 9 * BLOCK_UNIT / GROUP_SYMBOLS,
    CODE_BITS_MAX = 20
};

#define BLOCK_MAGIC UINT64_C(0x314159265359)
#define END_MAGIC UINT64_C(0x177245385090)

/* The longest block that so many bytes can make: four equal ones become five. */
static inline uint32_t format_block_limit(unsigned level, size_t bytes)
{
    size_t longest = bytes + bytes / RUN_MIN + BLOCK_RESERVE + RUN_MIN + 1;
    uint32_t block = level * BLOCK_UNIT;
    return longest < block ? (uint32_t)longest : block;
}

#endif
