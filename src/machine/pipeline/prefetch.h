/* Says which lines loads will want: the part that prefetch.kind chooses by name.
 *
 * A new one is a file with its struct prefetch_kind, a row of prefetchers.def and a word of prefetch.kind in
 * parameters.def. */
#ifndef STRATA_MACHINE_PIPELINE_PREFETCH_H
#define STRATA_MACHINE_PIPELINE_PREFETCH_H

#include "machine/pipeline/parameters.h"

#define PREFETCH_DEGREE_MAX 16 /* as [prefetch] degree has it */

struct prefetch_kind {
    const char *name;
    /* What it learns; NULL if memory runs out. */
    void *(*create)(const struct parameters *parameters);
    /* The load at `pc` reads `address`: returns how many addresses ahead should be fetched. */
    unsigned (*learn)(void *table, uint64_t pc, uint64_t address,
                      uint64_t ahead[PREFETCH_DEGREE_MAX]);
    void (*destroy)(void *table);
};

enum prefetcher_number {
    PREFETCHER_none,
#define PREFETCHER(name) PREFETCHER_##name,
#include "machine/pipeline/prefetchers.def"
#undef PREFETCHER
    PREFETCHERS
};
/* The first one is NULL. */
extern const struct prefetch_kind *const prefetch_kinds[PREFETCHERS];

struct prefetcher {
    const struct prefetch_kind *kind; /* NULL: there is no prefetcher */
    void *table;
    uint64_t issued; /* lines asked for */
    /* Lines not asked for: no MSHR was free, or their page has no translation yet. */
    uint64_t dropped;
};

/* False if memory runs out. */
bool prefetch_create(struct prefetcher *prefetcher, const struct parameters *parameters);
void prefetch_destroy(struct prefetcher *prefetcher);

static inline unsigned prefetch_learn(struct prefetcher *prefetcher, uint64_t pc, uint64_t address,
                                      uint64_t ahead[PREFETCH_DEGREE_MAX])
{
    return prefetcher->kind->learn(prefetcher->table, pc, address, ahead);
}

#endif
