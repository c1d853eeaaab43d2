/* The fragment cache: memory for code, and for the trampolines that stand apart from it. */
#ifndef STRATA_TRANSLATOR_CACHE_H
#define STRATA_TRANSLATOR_CACHE_H

#include "target_facts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The cache is used chunk by chunk: in each, fragments grow from the beginning
 * and trampolines from the end, so that hot code stays dense and yet a fragment's
 * own trampolines are always within a jump's reach. */
#define CACHE_CHUNK_BYTES TARGET_CHUNK_BYTES

/* The smallest, the largest, and what is used where nobody asks for another. */
#define CACHE_BYTES_MIN (UINT64_C(64) << 10)
#define CACHE_BYTES_MAX (UINT64_C(1) << 30)
#define CACHE_BYTES_DEFAULT (UINT64_C(16) << 20)
#define CACHE_CHUNKS_MAX (CACHE_BYTES_MAX / CACHE_CHUNK_BYTES)

/* What was left of a chunk when the next one was begun. */
struct cache_gap {
    uint8_t *start, *end;
};

struct cache {
    uint8_t *start, *end;
    uint8_t *chunk_end;     /* of the chunk in use */
    uint8_t *fragments;     /* the next fragment's place */
    uint8_t *trampolines;   /* the beginning of the last trampoline */
    struct cache_gap *gaps; /* of the chunks before this one, by number */
    size_t dead_bytes;      /* of fragments that have gone one by one */
};

/* `memory` has `bytes`, a multiple of a page; `gaps` is for all chunks. */
void cache_create(struct cache *cache, uint8_t *memory, size_t bytes, struct cache_gap *gaps);

/* Makes sure that a fragment of `bytes`, trampolines included, fits behind
 * cache->fragments; false if the whole cache is full. */
bool cache_reserve(struct cache *cache, size_t bytes);
/* Whether a fragment of `bytes` fits into the chunk in use. */
static inline bool cache_has_room(const struct cache *cache, size_t bytes)
{
    return (size_t)(cache->trampolines - cache->fragments) >= bytes;
}
void cache_commit(struct cache *cache, uint8_t *end);
/* Room below the last trampoline, aligned to 8 bytes; reserved before. */
static inline uint8_t *cache_add_trampoline(struct cache *cache, size_t bytes)
{
    cache->trampolines -= (bytes + 7) / 8 * 8;
    return cache->trampolines;
}
/* Room for `bytes`, aligned to 8 bytes, in what is left of the chunk of `near`; NULL
 * if there is none, or the chunk is in use. */
uint8_t *cache_take_gap(struct cache *cache, const uint8_t *near, size_t bytes);
/* Forgets all code. */
void cache_clear(struct cache *cache);

#endif
