/* How many bits of hardware a number takes, for what units say of their cost. */
#ifndef STRATA_MACHINE_UNITS_BITS_H
#define STRATA_MACHINE_UNITS_BITS_H

#include <stdint.h>

#define ADDRESS_BITS 64
#define HALFWORD_BITS 63 /* of an address without its lowest bit */

/* Of a number from 0 to `most`. */
static inline unsigned bits_for(uint64_t most)
{
    return most == 0 ? 0 : 64 - (unsigned)__builtin_clzll(most);
}

#endif
