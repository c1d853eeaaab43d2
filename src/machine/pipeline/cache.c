/* One level of cache: looks up, fills and evicts lines, and keeps count of misses under way. */
#include "machine/pipeline/cache.h"

#include "base/check.h"
#include "machine/pipeline/shadow.h"

#include <stdlib.h>
#include <string.h>

bool cache_create(struct cache *cache, enum level level, uint64_t bytes, uint64_t ways,
                  uint64_t line, uint64_t latency, uint64_t mshrs)
{
    *cache = (struct cache){.level = level,
                            .line_shift = (unsigned)__builtin_ctzll(line),
                            .ways = ways,
                            .latency = latency,
                            .mshrs = (unsigned)mshrs};
    if (bytes == 0) {
        return true;
    }
    cache->set_mask = bytes / line / ways - 1;
    cache->lines = calloc((cache->set_mask + 1) * ways, sizeof *cache->lines);
    cache->fills = calloc(mshrs, sizeof *cache->fills);
    return cache->lines != NULL && cache->fills != NULL;
}

void cache_destroy(struct cache *cache)
{
    free(cache->lines);
    free(cache->fills);
    shadow_destroy(cache->shadow);
}

static struct cache_line *set_of(const struct cache *cache, uint64_t number)
{
    return &cache->lines[(number & cache->set_mask) * cache->ways];
}

/* The place of the line in its set; the number of ways if it is not there. */
static uint64_t find(const struct cache *cache, const struct cache_line *set, uint64_t number)
{
    uint64_t way = 0;
    while (way < cache->ways && set[way].tag != number + 1) {
        way++;
    }
    return way;
}

static void move_to_front(struct cache_line *set, uint64_t way)
{
    const struct cache_line line = set[way];
    for (; way > 0; way--) {
        set[way] = set[way - 1];
    }
    set[0] = line;
}

/* An MSHR that is free in cycle `now`; NULL if there is none.  Accesses come from the future when they wait
 * for a translation: what ends by then must go on to count for others until it has ended. */
static uint64_t *find_mshr(const struct cache *cache, uint64_t now)
{
    for (unsigned i = 0; i < cache->mshrs; i++) {
        if (cache->fills[i] <= now) {
            return &cache->fills[i];
        }
    }
    return NULL;
}

/* Puts a line on the bus; the cycle in which the last of it is there. */
static uint64_t transfer(struct memory_bus *bus, uint64_t now, uint64_t bytes)
{
    const uint64_t chunks = (bytes + bus->chunk_bytes - 1) / bus->chunk_bytes;
    const uint64_t start = now > bus->free_at ? now : bus->free_at;
    bus->free_at = start + chunks * bus->chunk_cycles;
    bus->transfers++;
    bus->busy_cycles += chunks * bus->chunk_cycles;
    return start + bus->latency + (chunks - 1) * bus->chunk_cycles;
}

/* What is written back takes room on the bus, and makes the next level's line dirty; nobody waits. */
static void write_back(struct cache *cache, uint64_t address, uint64_t now)
{
    cache->statistics.writebacks++;
    if (cache->next == NULL) {
        transfer(cache->bus, now, UINT64_C(1) << cache->line_shift);
        return;
    }
    const uint64_t number = address >> cache->next->line_shift;
    struct cache_line *set = set_of(cache->next, number);
    const uint64_t way = find(cache->next, set, number);
    if (way < cache->next->ways) {
        set[way].dirty = true;
    } else {
        /* It was evicted there before: the levels do not include one another. */
        write_back(cache->next, address, now);
    }
}

static uint64_t ask_below(struct cache *cache, struct access *access)
{
    struct access below = *access;
    below.slice = 0; /* the account is of the first level */
    below.now = access->now + cache->latency;
    /* A store's line is read first; only the first level's becomes dirty by it. */
    below.kind = access->kind == ACCESS_PREFETCH ? ACCESS_PREFETCH : ACCESS_READ;
    const uint64_t ready = cache->next != NULL
                               ? cache_access(cache->next, &below)
                               : transfer(cache->bus, below.now, UINT64_C(1) << cache->line_shift);
    access->level = cache->next != NULL ? below.level : LEVEL_MEMORY;
    access->missed = below.missed;
    access->merged = below.merged;
    access->capacity = below.capacity;
    return ready;
}

static void ask_shadow(const struct cache *cache, struct access *access, uint64_t number)
{
    if (UNLIKELY(cache->shadow != NULL) &&
        shadow_access(cache->shadow, number) == SHADOW_CAPACITY) {
        access->capacity |= (uint8_t)(1u << cache->level);
    }
}

static void put(struct cache *cache, struct cache_line *set, struct cache_line line, uint64_t now)
{
    const struct cache_line *victim = &set[cache->ways - 1];
    if (UNLIKELY(victim->slice != 0)) {
        cache->hooks->line(cache->helpers, victim->slice, LINE_EVICTED);
    }
    cache->statistics.prefetches_useless += victim->prefetched;
    if (victim->dirty) {
        write_back(cache, (victim->tag - 1) << cache->line_shift, now);
    }
    memmove(set + 1, set, (cache->ways - 1) * sizeof *set);
    set[0] = line;
}

static uint64_t fill(struct cache *cache, struct access *access, struct cache_line *set,
                     uint64_t number)
{
    const bool demand = access->kind != ACCESS_PREFETCH;
    uint64_t *mshr = find_mshr(cache, access->now);
    if (mshr == NULL) {
        cache->statistics.busy += demand && !access->again;
        return CACHE_BUSY;
    }
    const uint64_t ready = ask_below(cache, access);
    if (ready == CACHE_BUSY) {
        return CACHE_BUSY;
    }
    *mshr = ready;
    cache->statistics.miss_cycles += ready - access->now;
    cache->statistics.accesses += demand;
    cache->statistics.misses += demand;
    if (UNLIKELY(access->slice != 0)) {
        cache->hooks->line(cache->helpers, access->slice, LINE_BROUGHT);
        cache->statistics.slice_cycles += ready - access->now;
    }
    cache->statistics.prefetches += !demand && access->slice == 0;
    access->missed |= (uint8_t)(1u << cache->level);
    ask_shadow(cache, access, number);
    put(cache, set,
        (struct cache_line){.tag = number + 1,
                            .ready = ready,
                            .level = (uint8_t)access->level,
                            .dirty = access->kind == ACCESS_WRITE,
                            .prefetched = !demand && access->slice == 0,
                            .slice = access->slice},
        access->now);
    return ready;
}

void cache_install(struct cache *cache, uint64_t address, uint64_t now)
{
    for (; cache != NULL && cache->lines != NULL; cache = cache->next) {
        const uint64_t number = address >> cache->line_shift;
        struct cache_line *set = set_of(cache, number);
        const uint64_t way = find(cache, set, number);
        if (way < cache->ways) {
            move_to_front(set, way);
            set[0].ready = set[0].ready < now ? set[0].ready : now;
            return;
        }
        put(cache, set, (struct cache_line){.tag = number + 1, .ready = now}, now);
    }
}

void cache_disown(struct cache *cache, unsigned slice)
{
    for (uint64_t i = 0; cache->lines != NULL && i < (cache->set_mask + 1) * cache->ways; i++) {
        if (cache->lines[i].slice == slice) {
            cache->lines[i].slice = 0;
        }
    }
}

uint64_t cache_access(struct cache *cache, struct access *access)
{
    access->level = cache->level;
    if (cache->lines == NULL) {
        cache->statistics.accesses += access->kind != ACCESS_PREFETCH;
        return access->now + cache->latency;
    }
    const uint64_t number = access->line >> cache->line_shift;
    struct cache_line *set = set_of(cache, number);
    const uint64_t way = find(cache, set, number);
    if (UNLIKELY(way == cache->ways)) {
        return fill(cache, access, set, number);
    }
    if (way != 0) {
        move_to_front(set, way);
    }
    struct cache_line *line = &set[0];
    const uint64_t hit = access->now + cache->latency;
    const bool waits = line->ready > hit;
    if (UNLIKELY(access->slice != 0)) {
        cache->hooks->line(cache->helpers, access->slice, LINE_REDUNDANT);
    } else if (access->kind != ACCESS_PREFETCH) {
        if (UNLIKELY(line->slice != 0)) {
            cache->hooks->line(cache->helpers, line->slice, waits ? LINE_LATE : LINE_TIMELY);
            line->slice = 0;
        }
        cache->statistics.accesses++;
        cache->statistics.misses += waits;
        cache->statistics.merged += waits;
        cache->statistics.prefetches_used += line->prefetched;
        cache->statistics.prefetches_late += line->prefetched && waits;
        line->prefetched = false;
        line->dirty |= access->kind == ACCESS_WRITE;
    }
    ask_shadow(cache, access, number);
    if (waits) {
        access->merged |= (uint8_t)(1u << cache->level);
        access->level = (enum level)line->level;
    }
    return waits ? line->ready : hit;
}

uint64_t cache_next_fill(const struct cache *cache, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; cache->fills != NULL && i < cache->mshrs; i++) {
        if (cache->fills[i] > now && cache->fills[i] < next) {
            next = cache->fills[i];
        }
    }
    return next;
}

bool cache_holds(const struct cache *cache, uint64_t address)
{
    const uint64_t number = address >> cache->line_shift;
    return cache->lines == NULL || find(cache, set_of(cache, number), number) < cache->ways;
}

bool cache_translate_other(struct cache *cache, uint64_t page, uint64_t now)
{
    struct cache_line *set = set_of(cache, page);
    uint64_t way = find(cache, set, page);
    const bool there = way < cache->ways;
    if (!there) {
        way = cache->ways - 1;
        set[way] = (struct cache_line){.tag = page + 1, .ready = now};
        cache->statistics.misses++;
    }
    if (way != 0) {
        move_to_front(set, way);
    }
    return there;
}
