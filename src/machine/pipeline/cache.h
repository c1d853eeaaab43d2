/* One level of cache: its lines, and the misses that are under way.
 *
 * Levels are asked in the order of time, and answer at once with the cycle in which the data will
 * be there; a line that is still being filled is in its set already, with the cycle of its fill. */
#ifndef STRATA_MACHINE_PIPELINE_CACHE_H
#define STRATA_MACHINE_PIPELINE_CACHE_H

#include "machine/pipeline/helper_hooks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the data came from. */
enum level { LEVEL_L1, LEVEL_L2, LEVEL_L3, LEVEL_MEMORY, LEVEL_COUNT };

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_PREFETCH };

/* No data yet: too many misses are under way.  Ask again later. */
#define CACHE_BUSY UINT64_MAX

struct access {
    uint64_t line; /* the address; low bits are not looked at */
    uint64_t now;
    enum access_kind kind;
    enum level level; /* out: the level that has it */
    uint8_t slice;    /* the number of the one that prefetches; 0: none */
    bool again;       /* asked before, and answered with CACHE_BUSY: counted once */
    /* Out, bits by level; zero before. */
    uint8_t missed;   /* the line was not there */
    uint8_t merged;   /* it was on its way already */
    uint8_t capacity; /* a fully associative cache would have missed, and not for the first time */
};

struct shadow;

struct cache_line {
    uint64_t tag;   /* of the line, plus 1; 0: empty */
    uint64_t ready; /* the cycle of its fill */
    uint8_t level;  /* enum level: where it came from */
    bool dirty;
    bool prefetched; /* brought by a prefetch and not used since */
    uint8_t slice;   /* the number of the one that brought it, until it is used; 0: none */
};

struct cache_statistics {
    uint64_t accesses, misses; /* of the program: not prefetches */
    uint64_t merged;           /* of the misses, those for a line that was on its way */
    uint64_t writebacks;
    uint64_t prefetches;         /* lines brought by them */
    uint64_t prefetches_used;    /* before they were evicted */
    uint64_t prefetches_late;    /* prefetched lines that were used while still on their way */
    uint64_t prefetches_useless; /* evicted before they were used */
    uint64_t busy;               /* accesses that found no free MSHR */
    uint64_t
        miss_cycles; /* of all misses together: over all cycles, the mean of misses under way */
    uint64_t slice_cycles; /* cycles of misses that slices began */
};

struct memory_bus {
    uint64_t latency, chunk_bytes, chunk_cycles;
    uint64_t free_at;
    uint64_t transfers, busy_cycles;
};

struct cache {
    struct cache *next;     /* NULL: main memory follows */
    struct memory_bus *bus; /* the bus to main memory, where it follows */
    enum level level;
    unsigned line_shift;
    uint64_t ways, set_mask, latency;
    struct cache_line *lines; /* by set, the last used first */
    struct shadow *shadow;    /* NULL unless capacity misses are asked for */
    uint64_t *fills;          /* of each MSHR: the cycle in which its miss ends, or ended */
    unsigned mshrs;
    const struct helper_hooks
        *hooks; /* whom to tell of the lines of slices; not looked at if there are none */
    struct helpers *helpers;
    struct cache_statistics statistics;
};

/* `bytes` of 0: a cache in which everything hits.  False if there is no memory for it. */
bool cache_create(struct cache *cache, enum level level, uint64_t bytes, uint64_t ways,
                  uint64_t line, uint64_t latency, uint64_t mshrs);
void cache_destroy(struct cache *cache);

/* The cycle in which the data is there, or CACHE_BUSY. */
uint64_t cache_access(struct cache *cache, struct access *access);
/* What most accesses find: the line that was used last in its set, and nothing to note but that.  The cycle in which
 * the data is there; CACHE_BUSY if it is not so, and cache_access must be asked. */
static inline uint64_t cache_hit_first(struct cache *cache, uint64_t address, uint64_t now,
                                       bool writes)
{
    const uint64_t number = address >> cache->line_shift, hit = now + cache->latency;
    if (cache->lines == NULL || cache->shadow != NULL) {
        return CACHE_BUSY;
    }
    struct cache_line *line = &cache->lines[(number & cache->set_mask) * cache->ways];
    if (line->tag != number + 1 || line->ready > hit || line->prefetched || line->slice != 0) {
        return CACHE_BUSY;
    }
    line->dirty |= writes;
    cache->statistics.accesses++;
    return hit;
}
/* The line is there from now on, here and below, as if it had been brought in time and at no cost. */
void cache_install(struct cache *cache, uint64_t address, uint64_t now);
/* Another slice gets the number: the lines of the one that had it are nobody's. */
void cache_disown(struct cache *cache, unsigned slice);
/* The first cycle after `now` in which a miss ends; UINT64_MAX if none is under way. */
uint64_t cache_next_fill(const struct cache *cache, uint64_t now);
/* Whether the line is there or on its way, without changing anything. */
bool cache_holds(const struct cache *cache, uint64_t address);

/* A translation buffer is a cache of pages without anything behind it: whether it has the page. */
bool cache_translate_other(struct cache *cache, uint64_t page, uint64_t now);
static inline bool cache_translate(struct cache *cache, uint64_t page, uint64_t now)
{
    cache->statistics.accesses++;
    return cache->lines == NULL ||
           cache->lines[(page & cache->set_mask) * cache->ways].tag == page + 1 ||
           cache_translate_other(cache, page, now);
}

#endif
