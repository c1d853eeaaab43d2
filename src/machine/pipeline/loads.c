/* What each static load did: how often it missed and where, and how long retirement waited for it. */
#include "machine/pipeline/loads.h"

#include "base/check.h"
#include "machine/pipeline/cache.h"
#include "machine/pipeline/slot.h"

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

struct load_site *loads_site(struct loads *loads, struct slot *slot)
{
    if (LIKELY(slot->load != NULL)) {
        return slot->load;
    }
    if (loads->count % CHUNK == 0) {
        struct chunk *chunk = calloc(1, sizeof *chunk);
        ASSERT(chunk != NULL);
        chunk->next = loads->chunks;
        loads->chunks = chunk;
    }
    struct load_site *site = &loads->chunks->sites[loads->count++ % CHUNK];
    site->pc = slot->site.pc;
    site->word = slot->word;
    slot->load = site;
    return site;
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

static int compare(const void *a, const void *b)
{
    const struct load_site *first = *(const struct load_site *const *)a;
    const struct load_site *second = *(const struct load_site *const *)b;
    const uint64_t misses[] = {first->levels[0].misses, second->levels[0].misses};
    if (misses[0] != misses[1]) {
        return misses[0] > misses[1] ? -1 : 1;
    }
    if (first->pc != second->pc) {
        return first->pc < second->pc ? -1 : 1;
    }
    return (first->word > second->word) - (first->word < second->word);
}

const struct load_site **loads_ranked(const struct loads *loads, size_t *count)
{
    const struct load_site **ranked = calloc(loads->count + 1, sizeof *ranked);
    ASSERT(ranked != NULL);
    size_t used = 0,
           in_chunk = (loads->count + CHUNK - 1) % CHUNK + 1; /* the first one has the rest */
    for (const struct chunk *chunk = loads->chunks; chunk != NULL; chunk = chunk->next) {
        for (size_t i = 0; i < in_chunk; i++) {
            ranked[used++] = &chunk->sites[i];
        }
        in_chunk = CHUNK;
    }
    ASSERT(used == loads->count);
    qsort(ranked, used, sizeof(const struct load_site *), compare);
    *count = used;
    return ranked;
}
