/* Functional warming: what instructions touch, without cycles.
 *
 * Lines, translations, the predictor and the prefetcher's table become what they would be if the
 * instructions went through the pipeline one after the other, each access at once and in program order.
 * Left out: what is in flight, the bus, and that a load which reads from a store in flight does not touch
 * the cache.  Nothing is counted. */
#include "base/check.h"
#include "machine/pipeline/shadow.h"
#include "machine/pipeline/window.h"

#define PAGE_SHIFT 12
#define BLOCK_LINES 16 /* at most, of a block of the engine: 64 instructions in lines of 16 bytes */

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

static void access_shadow(const struct cache *cache, uint64_t number)
{
    if (UNLIKELY(cache->shadow != NULL)) {
        shadow_access(cache->shadow, number);
    }
}

/* Makes the line the last used of its set.  Those before its place move on by one while it is looked for. */
static void bring(struct cache *cache, uint64_t address, uint64_t now, bool prefetched)
{
    const uint64_t number = address >> cache->line_shift;
    struct cache_line *set = set_of(cache, number);
    struct cache_line line = set[0];
    for (uint64_t way = 1; line.tag != number + 1 && way < cache->ways; way++) {
        const struct cache_line next = set[way];
        set[way] = line;
        line = next;
    }
    if (line.tag != number + 1) {
        struct cache *below = cache->next;
        if (below != NULL && below->lines != NULL) {
            access_shadow(below, address >> below->line_shift);
            bring(below, address, now, prefetched);
        }
        if (line.dirty) {
            make_dirty(below, (line.tag - 1) << cache->line_shift);
        }
        line = (struct cache_line){.tag = number + 1, .ready = now, .prefetched = prefetched};
    }
    set[0] = line;
}

/* The line's entry. */
static inline struct cache_line *touch(struct cache *cache, uint64_t address, uint64_t now)
{
    const uint64_t number = address >> cache->line_shift;
    struct cache_line *first = set_of(cache, number);
    access_shadow(cache, number);
    if (first->tag != number + 1) {
        bring(cache, address, now, false);
    }
    return first;
}

static void touch_ahead(struct pipeline *pipeline, unsigned context, const struct record *record)
{
    uint64_t ahead[PREFETCH_DEGREE_MAX];
    const uint64_t address = context_address(pipeline, context, record->address);
    const unsigned count =
        prefetch_learn(&pipeline->prefetcher,
                       context_address(pipeline, context, record->insn->site.pc), address, ahead);
    for (unsigned i = 0; i < count; i++) {
        if ((ahead[i] ^ address) >> GUEST_SPACE_BITS == 0 && pipeline->l1d.lines != NULL &&
            !cache_holds(&pipeline->l1d, ahead[i]) &&
            cache_holds(&pipeline->dtlb, ahead[i] >> PAGE_SHIFT)) {
            bring(&pipeline->l1d, ahead[i], pipeline->now, true);
        }
    }
}

/* The page and the line of the last access, plus 1: they are the last used of their sets already. */
struct data_trail {
    uint64_t page, line;
};

static inline void touch_data(struct pipeline *pipeline, struct data_trail *trail, uint64_t address,
                              bool stores)
{
    const uint64_t page = (address >> PAGE_SHIFT) + 1;
    const uint64_t line = (address >> pipeline->l1d.line_shift) + 1;
    if (page != trail->page && pipeline->dtlb.lines != NULL) {
        touch(&pipeline->dtlb, page - 1, pipeline->now);
    }
    if ((line != trail->line || stores) && pipeline->l1d.lines != NULL) {
        struct cache_line *touched = touch(&pipeline->l1d, address, pipeline->now);
        touched->dirty |= stores;
        touched->prefetched = false;
    }
    trail->page = page;
    trail->line = line;
}

/* Fetch: lines and translations that instructions came from. */
struct code_trail {
    uint64_t space, line, page; /* the last ones */
    bool jumped;                /* what follows the last record is elsewhere */
};

static void touch_line(struct pipeline *pipeline, struct code_trail *trail, uint64_t line)
{
    const uint64_t address = line << pipeline->l1i.line_shift | trail->space;
    trail->line = line;
    if (address >> PAGE_SHIFT != trail->page) {
        trail->page = address >> PAGE_SHIFT;
        if (pipeline->itlb.lines != NULL) {
            touch(&pipeline->itlb, trail->page, pipeline->now);
        }
    }
    if (pipeline->l1i.lines != NULL) {
        touch(&pipeline->l1i, address, pipeline->now);
    }
}

/* Without a jump since the last record, all lines in between were fetched; there are few, since a decoded
 * block is short, unless a callback was taken. */
static void touch_code(struct pipeline *pipeline, struct code_trail *trail, uint64_t line)
{
    if (!trail->jumped && line - trail->line <= BLOCK_LINES) {
        while (trail->line + 1 < line) {
            touch_line(pipeline, trail, trail->line + 1);
        }
    }
    touch_line(pipeline, trail, line);
}

void pipeline_warm(struct pipeline *pipeline, unsigned context, const struct record *records,
                   unsigned count, guest_addr next)
{
    const bool memory = !pipeline->parameters.ideal_memory;
    const unsigned line_shift = pipeline->l1i.line_shift;
    struct code_trail trail = {.space = pipeline->contexts[context].space,
                               .line = UINT64_MAX,
                               .page = UINT64_MAX,
                               .jumped = true};
    struct data_trail data = {0};
    pipeline->contexts[context].fetch_line = 0; /* of earlier cycles: it may be gone by now */
    for (unsigned i = 0; i < count; i++) {
        const struct static_insn *insn = records[i].insn;
        const uint64_t line = insn->site.pc >> line_shift;
        if (line != trail.line && memory) {
            touch_code(pipeline, &trail, line);
        }
        trail.jumped = false;
        if (insn->site.kind != BRANCH_NONE) {
            const guest_addr actual = i + 1 < count ? records[i + 1].insn->site.pc : next;
            branch_fetch(&pipeline->predictor, context, &insn->site, actual);
            trail.jumped = actual != insn->site.next;
        }
        if (insn->flags & (STATIC_LOAD | STATIC_STORE | STATIC_PREFETCH) && memory &&
            records[i].address >> GUEST_SPACE_BITS == 0) {
            touch_data(pipeline, &data, records[i].address | trail.space,
                       (insn->flags & STATIC_STORE) != 0);
            if (UNLIKELY(pipeline->prefetcher.kind != NULL) && insn->flags & STATIC_LOAD) {
                touch_ahead(pipeline, context, &records[i]);
                data.line = 0; /* lines that were brought may have its place */
            }
        }
    }
}
