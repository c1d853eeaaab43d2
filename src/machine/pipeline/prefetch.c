/* The stride prefetcher: learns by how much each load's address grows, and says which lines come next. */
#include "machine/pipeline/prefetch.h"

#include <stdlib.h>

/* A stride is followed once it was seen three times in a row. */
#define CONFIDENT 2
#define CONFIDENCE_MAX 3

bool prefetch_create(struct prefetcher *prefetcher, const struct parameters *parameters)
{
    *prefetcher = (struct prefetcher){.count = parameters->prefetch_entries,
                                      .degree = parameters->prefetch_degree,
                                      .distance = (int64_t)parameters->prefetch_distance,
                                      .line = parameters->l1d_line};
    if (parameters->prefetch_kind == PREFETCH_NONE) {
        return true;
    }
    prefetcher->entries = calloc(prefetcher->count, sizeof *prefetcher->entries);
    return prefetcher->entries != NULL;
}

void prefetch_destroy(struct prefetcher *prefetcher)
{
    free(prefetcher->entries);
}

/* One odd address, as at the end of a row, does not make it forget the stride. */
static bool follows(struct prefetch_entry *entry, uint64_t address)
{
    const int64_t stride = (int64_t)(address - entry->last);
    entry->last = address;
    if (stride == entry->stride) {
        if (entry->confidence < CONFIDENCE_MAX) {
            entry->confidence++;
        }
        return entry->confidence >= CONFIDENT;
    }
    if (entry->confidence > 0) {
        entry->confidence--;
    } else {
        entry->stride = stride;
    }
    return false;
}

unsigned prefetch_learn(struct prefetcher *prefetcher, uint64_t pc, uint64_t address,
                        uint64_t ahead[PREFETCH_DEGREE_MAX])
{
    struct prefetch_entry *entry = &prefetcher->entries[(pc >> 1) % prefetcher->count];
    if (entry->pc != pc + 1) {
        *entry = (struct prefetch_entry){.pc = pc + 1, .last = address};
        return 0;
    }
    if (!follows(entry, address) || entry->stride == 0) {
        return 0;
    }
    /* Several strides may fall into one line: then the lines that follow are meant. */
    const int64_t line = entry->stride < 0 ? -(int64_t)prefetcher->line : (int64_t)prefetcher->line;
    const bool far =
        entry->stride >= (int64_t)prefetcher->line || entry->stride <= -(int64_t)prefetcher->line;
    const uint64_t step = (uint64_t)(far ? entry->stride : line);
    uint64_t next = address + (uint64_t)entry->stride * (uint64_t)prefetcher->distance;
    for (uint64_t i = 0; i < prefetcher->degree; i++, next += step) {
        ahead[i] = next;
    }
    return (unsigned)prefetcher->degree;
}
