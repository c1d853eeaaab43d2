/* The memory that fragments live in: made, filled, emptied, enlarged. */
#include "translator/fragment/space.h"

#include "translator/fragment/translator.h"

#include "base/check.h"

/* The pool's share of the cache, and that of marks: so large that the cache is full first. */
#define POOL_PER_CACHE 4

/* What one fragment may need at the most; checked before it is written, so that nothing fails half-way. */
#define POOL_NEED (sizeof(struct fragment) + (FRAGMENT_STEPS + 4) * sizeof(struct exit))
#define MARK_NEED (2 * PLAN_INSTRUCTIONS)
#define CACHE_NEED (PLAN_INSTRUCTIONS * TARGET_INSTRUCTION_BYTES + TARGET_END_BYTES)

size_t space_cell_bytes(size_t cache_bytes)
{
    return cache_bytes; /* each byte of code could have a cell at the same distance */
}

static size_t pool_bytes(size_t cache_bytes)
{
    return cache_bytes * POOL_PER_CACHE;
}

static size_t index_bytes(size_t cache_bytes)
{
    const size_t bytes = index_size(cache_bytes) * sizeof(struct bucket);
    return bytes < CODE_PAGE ? CODE_PAGE : bytes;
}

static void unmap(void *memory, size_t bytes)
{
    if (memory != NULL) {
        host_unmap(memory, bytes);
    }
}

bool space_create(struct translator *translator, size_t cache_bytes)
{
    const size_t pool = pool_bytes(cache_bytes);
    const size_t code = cache_bytes + space_cell_bytes(cache_bytes);
    uint8_t *cache_memory = host_map(code, true);
    uint8_t *pool_memory = host_map(pool, false);
    struct mark *mark_memory = host_map(pool, false);
    struct bucket *buckets = host_map(index_bytes(cache_bytes), false);

    if (cache_memory == NULL || pool_memory == NULL || mark_memory == NULL || buckets == NULL) {
        unmap(cache_memory, code);
        unmap(pool_memory, pool);
        unmap(mark_memory, pool);
        unmap(buckets, index_bytes(cache_bytes));
        return false;
    }
    cache_create(&translator->cache, cache_memory, cache_bytes, translator->gaps);
    translator->pool = (struct pool){.start = pool_memory,
                                     .next = pool_memory,
                                     .last = pool_memory + pool - POOL_NEED,
                                     .end = pool_memory + pool};
    struct mark *marks_end = mark_memory + pool / sizeof *mark_memory;
    translator->marks = (struct marks){
        .start = mark_memory, .next = mark_memory, .last = marks_end - MARK_NEED, .end = marks_end};
    translator->index = (struct index){.buckets = buckets, .mask = index_size(cache_bytes) - 1};
    return true;
}

bool space_has_room(const struct translator *translator)
{
    return translator->pool.next <= translator->pool.last &&
           translator->marks.next <= translator->marks.last &&
           cache_has_room(&translator->cache, CACHE_NEED);
}

bool space_use_more(struct translator *translator)
{
    return cache_reserve(&translator->cache, CACHE_NEED) && space_has_room(translator);
}

void space_clear(struct translator *translator)
{
    struct pool *pool = &translator->pool;

    /* What is taken from the pool is zero. */
    __builtin_memset(pool->start, 0, (size_t)(pool->next - pool->start));
    pool->next = pool->start;
    pool->last = pool->end - POOL_NEED; /* changes.c may have closed it */
    translator->marks.next = translator->marks.start;
    cache_clear(&translator->cache);
    index_clear(&translator->index);
}

void space_grow(struct translator *translator)
{
    const struct cache cache = translator->cache;
    const struct pool pool = translator->pool;
    struct mark *marks = translator->marks.start;
    struct bucket *buckets = translator->index.buckets;
    const size_t bytes = (size_t)(cache.end - cache.start);

    if (bytes > CACHE_BYTES_MAX / 2 || !space_create(translator, bytes * 2)) {
        space_clear(translator);
        return;
    }
    unmap(cache.start, bytes + space_cell_bytes(bytes));
    unmap(pool.start, pool_bytes(bytes));
    unmap(marks, pool_bytes(bytes));
    unmap(buckets, index_bytes(bytes));
    target_announce(translator);
}
