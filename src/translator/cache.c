/* The fragment cache: memory for code, and for the trampolines that stand apart from it. */
#include "translator/cache.h"

#include "base/check.h"

static void use_chunk(struct cache *cache, uint8_t *start)
{
    const size_t left = (size_t)(cache->end - start);
    cache->fragments = start;
    cache->chunk_end = start + (left < CACHE_CHUNK_BYTES ? left : CACHE_CHUNK_BYTES);
    cache->trampolines = cache->chunk_end;
}

void cache_create(struct cache *cache, uint8_t *memory, size_t bytes)
{
    cache->start = memory;
    cache->end = memory + bytes;
    use_chunk(cache, memory);
}

SELDOM static bool use_next_chunk(struct cache *cache, size_t bytes)
{
    if (cache->chunk_end == cache->end) {
        return false;
    }
    use_chunk(cache, cache->chunk_end);
    return (size_t)(cache->trampolines - cache->fragments) >= bytes;
}

bool cache_reserve(struct cache *cache, size_t bytes)
{
    return LIKELY((size_t)(cache->trampolines - cache->fragments) >= bytes) ||
           use_next_chunk(cache, bytes);
}

void cache_commit(struct cache *cache, uint8_t *end)
{
    ASSERT(end >= cache->fragments && end <= cache->trampolines);
    cache->fragments = end;
}

void cache_clear(struct cache *cache)
{
    use_chunk(cache, cache->start);
}
