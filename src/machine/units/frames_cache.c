/* The frames that were built, by their heads: the frame cache of rePLay. */
#include "machine/units/frames_cache.h"

#include "machine/units/bits.h"

#include <stdlib.h>

#define COMPLETED_BITS 32

bool frames_cache_create(struct frames_cache *cache, uint64_t sets, uint64_t ways)
{
    *cache = (struct frames_cache){.sets = sets, .ways = ways};
    cache->frames = calloc(sets * ways, sizeof *cache->frames);
    return cache->frames != NULL;
}

void frames_cache_destroy(struct frames_cache *cache)
{
    free(cache->frames);
}

static struct frame *set_of(const struct frames_cache *cache, uint64_t head)
{
    return &cache->frames[head / 2 % cache->sets * cache->ways];
}

struct frame *frames_cache_find(const struct frames_cache *cache, uint64_t head)
{
    struct frame *set = set_of(cache, head);

    for (uint64_t i = 0; i < cache->ways; i++) {
        if (set[i].number != 0 && set[i].head == head) {
            return &set[i];
        }
    }
    return NULL;
}

void frames_cache_use(struct frames_cache *cache, struct frame *frame)
{
    frame->used = ++cache->time;
}

/* A free place, or that of the frame that was not used for longest. */
static struct frame *place_for(const struct frames_cache *cache, uint64_t head)
{
    struct frame *set = set_of(cache, head);
    struct frame *oldest = set;

    for (uint64_t i = 0; i < cache->ways; i++) {
        if (set[i].number == 0) {
            return &set[i];
        }
        oldest = set[i].used < oldest->used ? &set[i] : oldest;
    }
    return oldest;
}

void frames_cache_add(struct frames_cache *cache, const struct frame *frame)
{
    struct frame *place = place_for(cache, frame->head);

    cache->replaced += place->number != 0;
    *place = *frame;
    place->number = ++cache->built;
    frames_cache_use(cache, place);
}

void frames_cache_evict(struct frame *frame)
{
    frame->number = 0;
}

/* A frame has its head, where its steps lead, their number, its fires, its place in the order of use, and whether it is
 * there at all.  A look-up compares the heads of one set. */
struct unit_cost frames_cache_cost(const struct frames_cache *cache, unsigned steps, uint64_t fires,
                                   uint64_t completed)
{
    const uint64_t frame_bits = (steps + UINT64_C(1)) * ADDRESS_BITS + bits_for(steps) +
                                bits_for(fires - 1) + bits_for(cache->ways - 1) + 1;
    const uint64_t path_bits = (FIND_BLOCKS + 1) * ADDRESS_BITS + bits_for(FIND_BLOCKS);
    const uint64_t find_bits = completed != 0 ? path_bits + COMPLETED_BITS : 0;

    return (struct unit_cost){.storage_bits = cache->sets * cache->ways * (frame_bits + find_bits),
                              .comparators = cache->ways + (completed != 0),
                              .adders = 1 + (completed != 0)};
}
