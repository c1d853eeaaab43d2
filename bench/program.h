/* What all programs under bench share: memory, random numbers, a digest, and an end when they are wrong. */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Zeroed. */
static inline void *program_allocate(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    if (memory == NULL) {
        fprintf(stderr, "out of memory: %zu times %zu bytes\n", count, bytes);
        exit(3);
    }
    return memory;
}

/* A program that finds its own result wrong prints no digest that could match by chance. */
static inline void program_check(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "wrong result: %s\n", what);
        exit(4);
    }
}

/* xorshift64*: the same sequence on every host, unlike rand().  The state must not be 0. */
static inline uint32_t program_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return (uint32_t)((x * UINT64_C(0x2545f4914f6cdd1d)) >> 32);
}

/* From 0 to limit - 1. */
static inline uint32_t program_random_below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)((uint64_t)program_random(state) * limit >> 32);
}

/* Order-sensitive, so that a permuted result changes the digest. */
static inline uint64_t program_mix(uint64_t digest, uint64_t value)
{
    digest ^= value + UINT64_C(0x9e3779b97f4a7c15) + (digest << 6) + (digest >> 2);
    return digest * UINT64_C(0xff51afd7ed558ccd);
}

static inline uint64_t program_mix_double(uint64_t digest, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return program_mix(digest, bits);
}

#endif
