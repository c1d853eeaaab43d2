/* The loops that are helped: each with its data, its work, and what a helper reads for it. */
#ifndef BENCH_SPR_KERNELS_H
#define BENCH_SPR_KERNELS_H

#include "spr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KERNEL_LINE 64

struct kernel_plan {
    size_t items;  /* of the loop */
    size_t bytes;  /* of the data that is read in no order: a power of two, at least 4096 */
    unsigned work; /* rounds of computation with each item */
    size_t ahead;  /* items that the version with prefetches in it is ahead */
    bool loads;    /* helpers load; else they prefetch */
};

/* A kernel's parts have names of their own, by which --loads tells the worker's loads from the helper's. */
struct kernel {
    const char *name, *what;
    void *(*make)(const struct kernel_plan *plan);
    /* Items from `begin` to `end`, plain and with prefetches among the work. */
    void (*work)(void *data, size_t begin, size_t end);
    void (*work_inline)(void *data, size_t begin, size_t end);
    spr_help *help;
    /* What a helper needs to begin where the work is now; NULL: the number of the item. */
    const void *(*live_in)(const void *data);
    uint64_t (*digest)(const void *data);
};

extern const struct kernel kernel_sums, kernel_sparse, kernel_list, kernel_hash;

/* Lines of memory, aligned and zeroed. */
void *kernel_lines(size_t count);
/* Sizes are powers of two. */
static inline size_t kernel_line_count(const struct kernel_plan *plan)
{
    return plan->bytes / KERNEL_LINE;
}

/* The work that an item is for: rounds that wait for one another. */
static inline uint64_t kernel_compute(uint64_t state, uint64_t value, unsigned rounds)
{
    state ^= value;
    for (unsigned i = 0; i < rounds; i++) {
        state = state * UINT64_C(0x2545f4914f6cdd1d) + value;
        state ^= state >> 29;
    }
    return state;
}

/* A hint that never waits and never faults; the processor may drop it. */
static inline void kernel_prefetch(const void *address)
{
#if defined(__riscv)
    __asm__ volatile("ori x0, %0, 1" : : "r"(address)); /* prefetch.r of Zicbop */
#else
    __builtin_prefetch(address);
#endif
}

/* What helpers do: a load waits for room where a prefetch is dropped. */
static inline void kernel_touch(const void *address, bool loads)
{
    if (loads) {
        (void)*(const volatile uint64_t *)address;
    } else {
        kernel_prefetch(address);
    }
}

#endif
