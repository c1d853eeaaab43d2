/* What every bench kernel shares: its size argument, its random numbers and its checksum line. */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Work grows linearly with the scale; memory use need not.  The limit keeps scale * constant
 * within 64 bits in every kernel. */
static inline uint32_t kernel_scale(int argc, char **argv, uint32_t scale_default)
{
    if (argc < 2) {
        return scale_default;
    }
    char *end = NULL;
    unsigned long scale = strtoul(argv[1], &end, 10);
    if (argc > 2 || *argv[1] < '0' || *argv[1] > '9' || *end != '\0' || scale == 0 ||
        scale > 1000000) {
        fprintf(stderr, "usage: %s [SCALE]   (1 to 1000000, default %" PRIu32 ")\n", argv[0],
                scale_default);
        exit(2);
    }
    return (uint32_t)scale;
}

static inline void *kernel_alloc(size_t size_bytes)
{
    void *memory = malloc(size_bytes);
    if (memory == NULL) {
        fprintf(stderr, "out of memory: %zu bytes\n", size_bytes);
        exit(3);
    }
    return memory;
}

/* A kernel that finds its own result wrong must not print a checksum that could match by chance. */
static inline void kernel_check(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "wrong result: %s\n", what);
        exit(4);
    }
}

/* xorshift64*: the same sequence on every host, unlike rand().  The state must not be 0. */
static inline uint32_t kernel_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return (uint32_t)((x * UINT64_C(0x2545f4914f6cdd1d)) >> 32);
}

/* Order-sensitive, so that a permuted result changes the checksum. */
static inline uint64_t kernel_mix(uint64_t sum, uint64_t value)
{
    sum ^= value + UINT64_C(0x9e3779b97f4a7c15) + (sum << 6) + (sum >> 2);
    return sum * UINT64_C(0xff51afd7ed558ccd);
}

static inline uint64_t kernel_mix_double(uint64_t sum, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return kernel_mix(sum, bits);
}

static inline void kernel_report(const char *name, uint32_t scale, uint64_t sum)
{
    printf("%s scale %" PRIu32 " checksum %016" PRIx64 "\n", name, scale, sum);
}

#endif
