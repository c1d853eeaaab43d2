/* What each static load did: how often it missed and where, and how long retirement waited for it. */
#include "machine/pipeline/loads.h"

#include "base/check.h"
#include "isa/rv64/insn.h"
#include "machine/engine/unit.h"

#include <stdlib.h>

#define CHUNK 256
#define FIRST_PLACES 1024 /* a power of two */

struct chunk {
    struct chunk *next;
    struct load_site sites[CHUNK];
};

/* A load that is decoded, by its address in memory: in a translator's cache, if it is a copy of the program's. */
struct place {
    guest_addr pc;
    struct load_site
        *site;     /* NULL: the place is free, or what was here is no longer the same load */
    uint32_t word; /* of the instruction at `pc` */
    bool used;
};

struct loads {
    struct unit unit;
    const struct origins *origins;
    struct chunk *chunks;
    size_t count;
    struct place *places; /* open addressing, less than half full */
    size_t place_count, places_used;
};

static struct load_site *add_site(struct loads *loads, struct origin origin)
{
    if (loads->count % CHUNK == 0) {
        struct chunk *chunk = calloc(1, sizeof *chunk);
        ASSERT(chunk != NULL);
        chunk->next = loads->chunks;
        loads->chunks = chunk;
    }
    struct load_site *site = &loads->chunks->sites[loads->count++ % CHUNK];
    site->pc = origin.pc;
    site->word = origin.word;
    site->owner = origin.owner;
    site->copies = 1;
    return site;
}

static struct place *find_place(const struct loads *loads, guest_addr pc)
{
    size_t i = (pc >> 1 ^ pc >> 13) & (loads->place_count - 1);
    while (loads->places[i].used && loads->places[i].pc != pc) {
        i = (i + 1) & (loads->place_count - 1);
    }
    return &loads->places[i];
}

static void grow(struct loads *loads)
{
    struct place *old = loads->places;
    const size_t count = loads->place_count;
    loads->places = calloc(2 * count, sizeof *loads->places);
    ASSERT(loads->places != NULL);
    loads->place_count = 2 * count;
    for (size_t i = 0; i < count; i++) {
        if (old[i].used) {
            *find_place(loads, old[i].pc) = old[i];
        }
    }
    free(old);
}

/* Only while it is decoded is it known which load of the program a translator's copy is. */
static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    struct loads *loads = (struct loads *)(void *)unit;
    if (!(instruction->flags & WATCHED_LOAD)) {
        return (struct watch_request){.events = 0};
    }
    struct place *place = find_place(loads, instruction->pc);
    if (!place->used && 2 * ++loads->places_used > loads->place_count) {
        grow(loads);
        place = find_place(loads, instruction->pc);
    }
    if (place->site == NULL || place->word != instruction->word) {
        const struct origin origin =
            origins_find(loads->origins, instruction->pc, instruction->insn);
        *place = (struct place){.pc = instruction->pc,
                                .site = add_site(loads, origin),
                                .word = instruction->word,
                                .used = true};
    }
    return (struct watch_request){.events = WATCH_ISSUED | WATCH_STALLED, .own = place->site};
}

void loads_forget(struct loads *loads, guest_addr start, uint64_t bytes)
{
    if (bytes / 2 > loads->place_count) {
        for (size_t i = 0; i < loads->place_count; i++) {
            if (loads->places[i].pc - start < bytes) {
                loads->places[i].site = NULL;
            }
        }
        return;
    }
    for (guest_addr pc = start; pc < start + bytes; pc += 2) {
        find_place(loads, pc)->site = NULL;
    }
}

static void count_levels(struct load_site *site, const struct watch_access *access)
{
    for (unsigned i = 0; i < LOAD_LEVELS; i++) {
        const unsigned bit = 1u << i;
        struct load_level *level = &site->levels[i];
        level->accesses++;
        level->misses += (access->missed & bit) != 0;
        level->merged += (access->merged & bit) != 0;
        level->capacity += (access->missed & access->capacity & bit) != 0;
        if (!(access->missed & bit)) {
            break;
        }
    }
}

static void on_issued(struct unit *unit, const struct watch_event *event)
{
    struct load_site *site = event->own;
    (void)unit;
    if (!event->measured) {
        return;
    }
    site->executions++;
    site->forwarded += event->access.forwarded;
    site->latency_cycles += event->times.done - event->cycle;
    if (event->access.looked) {
        count_levels(site, &event->access);
    }
}

static void on_stalled(struct unit *unit, const struct watch_event *event)
{
    struct load_site *site = event->own;
    (void)unit;
    site->stall_slots += event->measured ? event->slots : 0;
}

static void destroy(struct unit *unit)
{
    struct loads *loads = (struct loads *)(void *)unit;
    while (loads->chunks != NULL) {
        struct chunk *chunk = loads->chunks;
        loads->chunks = chunk->next;
        free(chunk);
    }
    free(loads->places);
    free(loads);
}

static const struct unit_kind kind = {.version = UNIT_VERSION,
                                      .name = "loads",
                                      .meaning = "counts what each static load does",
                                      .timed = WATCH_ISSUED | WATCH_STALLED,
                                      .watches = watches,
                                      .issued = on_issued,
                                      .stalled = on_stalled,
                                      .destroy = destroy};

struct loads *loads_create(const struct origins *origins)
{
    struct loads *loads = calloc(1, sizeof *loads);
    struct place *places = calloc(FIRST_PLACES, sizeof *places);
    if (loads == NULL || places == NULL) {
        free(loads);
        free(places);
        return NULL;
    }
    *loads = (struct loads){
        .unit = {.kind = &kind}, .origins = origins, .places = places, .place_count = FIRST_PLACES};
    return loads;
}

struct unit *loads_unit(struct loads *loads)
{
    return &loads->unit;
}

static int compare_numbers(uint64_t first, uint64_t second)
{
    return (first > second) - (first < second);
}

/* Copies of one load stand side by side then. */
static int compare_places(const void *a, const void *b)
{
    const struct load_site *first = a, *second = b;
    const int owners = compare_numbers(first->owner, second->owner);
    const int places = compare_numbers(first->pc, second->pc);
    return owners != 0 ? owners : places != 0 ? places : compare_numbers(first->word, second->word);
}

static int compare_misses(const void *a, const void *b)
{
    const struct load_site *first = a, *second = b;
    const int misses = compare_numbers(second->levels[0].misses, first->levels[0].misses);
    return misses != 0 ? misses : compare_places(a, b);
}

static void add_copy(struct load_site *sum, const struct load_site *copy)
{
    sum->copies += copy->copies;
    sum->executions += copy->executions;
    sum->forwarded += copy->forwarded;
    sum->latency_cycles += copy->latency_cycles;
    sum->stall_slots += copy->stall_slots;
    for (unsigned i = 0; i < LOAD_LEVELS; i++) {
        sum->levels[i].accesses += copy->levels[i].accesses;
        sum->levels[i].misses += copy->levels[i].misses;
        sum->levels[i].merged += copy->levels[i].merged;
        sum->levels[i].capacity += copy->levels[i].capacity;
    }
}

static size_t collect(const struct loads *loads, struct load_site *sites)
{
    size_t used = 0,
           in_chunk = (loads->count + CHUNK - 1) % CHUNK + 1; /* the first one has the rest */
    for (const struct chunk *chunk = loads->chunks; chunk != NULL; chunk = chunk->next) {
        for (size_t i = 0; i < in_chunk; i++) {
            if (chunk->sites[i].executions > 0 || chunk->sites[i].stall_slots > 0) {
                sites[used++] = chunk->sites[i];
            }
        }
        in_chunk = CHUNK;
    }
    return used;
}

struct load_site *loads_ranked(const struct loads *loads, size_t *count)
{
    struct load_site *sites = calloc(loads->count + 1, sizeof *sites);
    ASSERT(sites != NULL);
    const size_t all = collect(loads, sites);
    qsort(sites, all, sizeof *sites, compare_places);
    size_t used = 0;
    for (size_t i = 0; i < all; i++) {
        if (used > 0 && compare_places(&sites[used - 1], &sites[i]) == 0) {
            add_copy(&sites[used - 1], &sites[i]);
        } else {
            sites[used++] = sites[i];
        }
    }
    qsort(sites, used, sizeof *sites, compare_misses);
    *count = used;
    return sites;
}
