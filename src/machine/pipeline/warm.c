/* Functional warming: what instructions touch, without cycles.
 *
 * Lines, translations, the predictor and the prefetcher's table become what they would be if the
 * instructions went through the pipeline one after the other, each access at once and in program order.
 * Left out: what is in flight, the bus, and that a load which reads from a store in flight does not touch
 * the cache.  Nothing is counted. */
#include "base/check.h"
#include "machine/pipeline/shadow.h"
#include "machine/pipeline/window.h"

#include <string.h>

#define PAGE_SHIFT 12

static struct cache_line *set_of(const struct cache *cache, uint64_t number)
{
    return &cache->lines[(number & cache->set_mask) * cache->ways];
}

static void make_dirty(struct cache *cache, uint64_t address)
{
    for (; cache != NULL && cache->lines != NULL; cache = cache->next) {
        const uint64_t number = address >> cache->line_shift;
        struct cache_line *set = set_of(cache, number);
        for (uint64_t way = 0; way < cache->ways; way++) {
            if (set[way].tag == number + 1) {
                set[way].dirty = true;
                return;
            }
        }
    }
}

/* The line becomes the last used of its set; the caller knows that it is not so yet. */
static void bring(struct cache *cache, uint64_t address, uint64_t now, bool prefetched)
{
    const uint64_t number = address >> cache->line_shift;
    struct cache_line *set = set_of(cache, number);
    uint64_t way = 0;
    while (way < cache->ways && set[way].tag != number + 1) {
        way++;
    }
    struct cache_line line;
    if (way < cache->ways) {
        line = set[way];
    } else {
        way--;
        if (cache->next != NULL && cache->next->lines != NULL) {
            bring(cache->next, address, now, prefetched);
        }
        if (set[way].dirty) {
            make_dirty(cache->next, (set[way].tag - 1) << cache->line_shift);
        }
        line = (struct cache_line){.tag = number + 1, .ready = now, .prefetched = prefetched};
    }
    memmove(set + 1, set, way * sizeof *set);
    set[0] = line;
}

static inline void touch(struct cache *cache, uint64_t address, uint64_t now, bool writes)
{
    if (UNLIKELY(cache->lines == NULL)) {
        return;
    }
    const uint64_t number = address >> cache->line_shift;
    struct cache_line *first = set_of(cache, number);
    if (UNLIKELY(cache->shadow != NULL)) {
        shadow_access(cache->shadow, number);
    }
    if (first->tag != number + 1) {
        bring(cache, address, now, false);
    }
    first->dirty |= writes;
    first->prefetched = false;
}

static void touch_ahead(struct pipeline *pipeline, unsigned context, const struct record *record)
{
    uint64_t ahead[PREFETCH_DEGREE_MAX];
    const uint64_t address = context_address(pipeline, context, record->address);
    const unsigned count = prefetch_learn(
        &pipeline->prefetcher, context_address(pipeline, context, record->slot->site.pc), address,
        ahead);
    for (unsigned i = 0; i < count; i++) {
        if ((ahead[i] ^ address) >> GUEST_SPACE_BITS == 0 && pipeline->l1d.lines != NULL &&
            !cache_holds(&pipeline->l1d, ahead[i]) &&
            cache_holds(&pipeline->dtlb, ahead[i] >> PAGE_SHIFT)) {
            bring(&pipeline->l1d, ahead[i], pipeline->now, true);
        }
    }
}

static void touch_data(struct pipeline *pipeline, unsigned context, const struct record *record,
                       uint64_t *page)
{
    const uint64_t address = context_address(pipeline, context, record->address);
    const unsigned flags = record->slot->flags;
    if (address >> PAGE_SHIFT != *page) {
        *page = address >> PAGE_SHIFT;
        touch(&pipeline->dtlb, *page, pipeline->now, false);
    }
    touch(&pipeline->l1d, address, pipeline->now, (flags & SLOT_STORE) != 0);
    if (UNLIKELY(pipeline->prefetcher.entries != NULL) && flags & SLOT_LOAD) {
        touch_ahead(pipeline, context, record);
    }
}

static void touch_code(struct pipeline *pipeline, uint64_t address, uint64_t *page)
{
    if (address >> PAGE_SHIFT != *page) {
        *page = address >> PAGE_SHIFT;
        touch(&pipeline->itlb, *page, pipeline->now, false);
    }
    touch(&pipeline->l1i, address, pipeline->now, false);
}

void pipeline_warm(struct pipeline *pipeline, unsigned context, const struct record *records,
                   unsigned count, guest_addr next)
{
    const bool memory = !pipeline->parameters.ideal_memory;
    const unsigned line_shift = pipeline->l1i.line_shift;
    const uint64_t space = pipeline->contexts[context].space;
    uint64_t line = UINT64_MAX, code_page = UINT64_MAX, data_page = UINT64_MAX;
    pipeline->contexts[context].fetch_line = 0; /* of earlier cycles: it may be gone by now */
    for (unsigned i = 0; i < count; i++) {
        const struct slot *slot = records[i].slot;
        const guest_addr pc = slot->site.pc;
        if (pc >> line_shift != line && memory) {
            line = pc >> line_shift;
            touch_code(pipeline, pc | space, &code_page);
        }
        if (slot->site.kind != BRANCH_NONE) {
            branch_predicted(&pipeline->predictor, context, &slot->site,
                             i + 1 < count ? records[i + 1].slot->site.pc : next);
        }
        if (slot->flags & (SLOT_LOAD | SLOT_STORE | SLOT_PREFETCH) && memory) {
            touch_data(pipeline, context, &records[i], &data_page);
        }
    }
}
