/* The stride prefetcher: learns by how much each load's address grows, and says which lines come next. */
#include "machine/pipeline/prefetch.h"

#include <stdlib.h>

/* A stride is followed once it was seen three times in a row. */
#define CONFIDENT 2
#define CONFIDENCE_MAX 3

struct stride_entry {
    uint64_t pc;   /* of the load, plus 1; 0: empty */
    uint64_t last; /* the address that it read */
    int64_t stride;
    uint8_t confidence; /* 0 to CONFIDENCE_MAX */
};

struct stride_table {
    uint64_t count, degree, line;
    int64_t distance;
    struct stride_entry entries[];
};

static void *create(const struct parameters *parameters)
{
    struct stride_table *table =
        calloc(1, sizeof *table + parameters->prefetch_entries * sizeof table->entries[0]);

    if (table != NULL) {
        table->count = parameters->prefetch_entries;
        table->degree = parameters->prefetch_degree;
        table->distance = (int64_t)parameters->prefetch_distance;
        table->line = parameters->l1d_line;
    }
    return table;
}

static void destroy(void *table)
{
    free(table);
}

/* One odd address, as at the end of a row, does not make it forget the stride. */
static bool follows(struct stride_entry *entry, uint64_t address)
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

static unsigned learn(void *context, uint64_t pc, uint64_t address,
                      uint64_t ahead[PREFETCH_DEGREE_MAX])
{
    struct stride_table *table = context;
    struct stride_entry *entry = &table->entries[(pc >> 1) % table->count];
    if (entry->pc != pc + 1) {
        *entry = (struct stride_entry){.pc = pc + 1, .last = address};
        return 0;
    }
    if (!follows(entry, address) || entry->stride == 0) {
        return 0;
    }
    /* Several strides may fall into one line: then the lines that follow are meant. */
    const int64_t line = entry->stride < 0 ? -(int64_t)table->line : (int64_t)table->line;
    const bool far =
        entry->stride >= (int64_t)table->line || entry->stride <= -(int64_t)table->line;
    const uint64_t step = (uint64_t)(far ? entry->stride : line);
    uint64_t next = address + (uint64_t)entry->stride * (uint64_t)table->distance;
    for (uint64_t i = 0; i < table->degree; i++, next += step) {
        ahead[i] = next;
    }
    return (unsigned)table->degree;
}

const struct prefetch_kind prefetch_stride = {
    .name = "stride", .create = create, .learn = learn, .destroy = destroy};
