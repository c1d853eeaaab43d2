/* Random instructions that only change a1, for programs that write their own code. */
#ifndef MADE_INSTRUCTIONS_H
#define MADE_INSTRUCTIONS_H

#include <stdint.h>

/* Instructions on a1; a jump leaves out the one behind it. */
static uint32_t make_word(uint64_t random, int jumps)
{
    const uint32_t value = (uint32_t)(random >> 8) & 0x7ff;

    switch (random % (jumps ? 6 : 5)) {
    case 0:
        return value << 20 | 11u << 15 | 11u << 7 | 0x13; /* addi a1, a1, N */
    case 1:
        return value << 20 | 11u << 15 | 4u << 12 | 11u << 7 | 0x13; /* xori a1, a1, N */
    case 2:
        return (value % 7 + 1) << 20 | 11u << 15 | 1u << 12 | 11u << 7 | 0x13; /* slli a1, a1, N */
    case 3:
        return 0x40b005b3; /* neg a1, a1 */
    case 4:
        return 0x00b585b3; /* add a1, a1, a1 */
    default:
        return 0x0080006f; /* j .+8 */
    }
}

/* The short ones, in the lower halves of words: c.addi a1, N; c.slli a1, N; c.add a1, a1; c.nop */
static uint32_t make_half(uint64_t random)
{
    const uint32_t value = (uint32_t)(random >> 8) % 30 + 1;

    switch (random % 4) {
    case 0:
        return 0x0581 | value << 2;
    case 1:
        return 0x0582 | (value % 5 + 1) << 2;
    case 2:
        return 0x95ae;
    default:
        return 0x0001;
    }
}

#endif
