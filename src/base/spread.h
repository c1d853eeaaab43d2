/* Spreads keys over the buckets of a hash table that grows: the number of its buckets is a power of two. */
#ifndef BASE_SPREAD_H
#define BASE_SPREAD_H

#include <stddef.h>
#include <stdint.h>

/* As good as a random number, and always the same for the same key.  Two multiplications: after one,
 * by the golden ratio, multiples of some powers of two would lie close together. */
static inline uint64_t spread_mix(uint64_t key)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t once = key * golden;

    return (once ^ once >> 32) * golden;
}

#define SPREAD_GROUP_BITS 11 /* if keys are halfwords: those of a page */

/* The bucket of `key` among 2^bits.  Neighbours stay neighbours, as programs run from one to the next
 * and the host's caches hold buckets by the line; but only within one of the groups that the low bits
 * make.  The groups lie anywhere. */
static inline size_t spread_key(uint64_t key, unsigned bits)
{
    const uint64_t place = key + (spread_mix(key >> SPREAD_GROUP_BITS) >> 32);

    return (size_t)(place & ((UINT64_C(1) << bits) - 1));
}

#endif
