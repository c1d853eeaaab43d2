/* The fragment cache: memory for code, and for the trampolines that stand apart from it. */
#include "translator/fragment/cache.h"

#include "base/check.h"

static void use_chunk(struct cache *cache, uint8_t *start)
{
    const size_t left = (size_t)(cache->end - start);
    cache->fragments = start;
    cache->chunk_end = start + (left < CACHE_CHUNK_BYTES ? left : CACHE_CHUNK_BYTES);
    cache->trampolines = cache->chunk_end;
}

void cache_create(struct cache *cache, uint8_t *memory, size_t bytes, struct cache_gap *gaps)
{
    ASSERT(bytes <= (size_t)CACHE_CHUNKS_MAX * CACHE_CHUNK_BYTES);
    cache->gaps = gaps;
    cache->start = memory;
    cache->end = memory + bytes;
    cache->dead_bytes = 0;
    use_chunk(cache, memory);
}

static size_t chunk_of(const struct cache *cache, const uint8_t *place)
{
    return (size_t)(place - cache->start) / CACHE_CHUNK_BYTES;
}

SELDOM static bool use_next_chunk(struct cache *cache, size_t bytes)
{
    if (cache->chunk_end == cache->end) {
        return false;
    }
    cache->gaps[chunk_of(cache, cache->chunk_end - 1)] =
        (struct cache_gap){cache->fragments, cache->trampolines};
    use_chunk(cache, cache->chunk_end);
    return cache_has_room(cache, bytes);
}

bool cache_reserve(struct cache *cache, size_t bytes)
{
    return LIKELY(cache_has_room(cache, bytes)) || use_next_chunk(cache, bytes);
}

void cache_commit(struct cache *cache, uint8_t *end)
{
    ASSERT(end >= cache->fragments && end <= cache->trampolines);
    cache->fragments = end;
}

uint8_t *cache_take_gap(struct cache *cache, const uint8_t *near, size_t bytes)
{
    struct cache_gap *gap = &cache->gaps[chunk_of(cache, near)];
    if (chunk_of(cache, near) >= chunk_of(cache, cache->chunk_end - 1)) {
        return NULL; /* what it says is of the time before a flush */
    }
    uint8_t *place = gap->start + (-(uintptr_t)gap->start & 7);
    if (place > gap->end || (size_t)(gap->end - place) < bytes) {
        return NULL;
    }
    gap->start = place + bytes;
    return place;
}

void cache_clear(struct cache *cache)
{
    use_chunk(cache, cache->start);
    cache->dead_bytes = 0;
}
