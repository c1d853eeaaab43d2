/* Owns what the programs share that change code and do not say so, as a processor with coherent instruction fetch
 * lets them.
 *
 * Built with TOLD they do say it, and are right on every processor: that is what they are compared with. */
#ifndef PROTECT_SILENT_H
#define PROTECT_SILENT_H

#include "common.h"
#include <sys/mman.h>

#define PAGE 4096
#define ALL (PROT_READ | PROT_WRITE | PROT_EXEC)

/* In assembly, between a store and what it wrote; and how many bytes that is. */
#ifdef TOLD
#define SAY_IT "fence.i\n"
#define SAY_IT_BYTES "4"
#else
#define SAY_IT ""
#define SAY_IT_BYTES "0"
#endif

/* In C, for all threads. */
static inline void say_it(void)
{
#ifdef TOLD
    __builtin___clear_cache(NULL, NULL);
#endif
    __asm__ volatile("" ::: "memory");
}

static inline char *map_pages(size_t count)
{
    char *pages = mmap(NULL, count * PAGE, ALL, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(pages != MAP_FAILED);
    return pages;
}

/* A function that returns `value`, which is less than 2048: li a0, N; ret.  The compiler cannot know that
 * instructions are read: it must not leave out the stores. */
static inline void write_function(char *at, unsigned value)
{
    const uint32_t words[] = {value << 20 | 10u << 7 | 0x13, 0x00008067};

    memcpy(at, words, sizeof(words));
    __asm__ volatile("" ::"r"(at) : "memory");
}

static inline long call(const char *at)
{
    return ((long (*)(void))(uintptr_t)at)();
}

#endif
