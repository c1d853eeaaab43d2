/* Bit fields of integers. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdint.h>

/* The `count` bits of `value` from bit `low` up; count is 1 to 63. */
static inline uint64_t bits_get(uint64_t value, unsigned low, unsigned count)
{
    return (value >> low) & ((UINT64_C(1) << count) - 1);
}

/* Reads the low `count` bits of `value` as a two's complement number; count is 1 to 63, and the
 * bits above must be 0. */
static inline int64_t bits_sign_extend(uint64_t value, unsigned count)
{
    uint64_t sign = UINT64_C(1) << (count - 1);

    return (int64_t)((value ^ sign) - sign);
}

#endif
