/* What each static load did: how often it missed and where, and how long retirement waited for it. */
#include "machine/pipeline/loads.h"

#include "base/check.h"
#include "machine/pipeline/cache.h"
#include "machine/pipeline/static_insn.h"

#include <stdlib.h>

#define CHUNK 256

struct chunk {
    struct chunk *next;
    struct load_site sites[CHUNK];
};

struct loads {
    struct chunk *chunks;
    size_t count;
};

struct loads *loads_create(void)
{
    return calloc(1, sizeof(struct loads));
}

void loads_destroy(struct loads *loads)
{
    while (loads != NULL && loads->chunks != NULL) {
        struct chunk *chunk = loads->chunks;
        loads->chunks = chunk->next;
        free(chunk);
    }
    free(loads);
}

struct load_site *loads_add(struct loads *loads, struct static_insn *insn, struct origin origin)
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
    insn->load = site;
    return site;
}

struct load_site *loads_site(struct loads *loads, struct static_insn *insn)
{
    if (LIKELY(insn->load != NULL)) {
        return insn->load;
    }
    return loads_add(loads, insn, (struct origin){.pc = insn->site.pc, .word = insn->word});
}

void loads_accessed(struct load_site *site, const struct access *access)
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
