/* The stride prefetcher: learns by how much each load's address grows, and says which lines come next. */
#ifndef STRATA_MACHINE_PIPELINE_PREFETCH_H
#define STRATA_MACHINE_PIPELINE_PREFETCH_H

#include "machine/pipeline/parameters.h"

#define PREFETCH_DEGREE_MAX 16 /* as [prefetch] degree has it */

struct prefetch_entry {
    uint64_t pc;   /* of the load, plus 1; 0: empty */
    uint64_t last; /* the address that it read */
    int64_t stride;
    uint8_t confidence; /* 0 to 3 */
};

struct prefetcher {
    struct prefetch_entry *entries; /* NULL: there is no prefetcher */
    uint64_t count, degree, line;
    int64_t distance;
    uint64_t issued; /* lines asked for */
    uint64_t
        dropped; /* lines not asked for: no MSHR was free, or their page has no translation yet */
};

/* False if memory runs out. */
bool prefetch_create(struct prefetcher *prefetcher, const struct parameters *parameters);
void prefetch_destroy(struct prefetcher *prefetcher);

/* The load at `pc` reads `address`: returns how many addresses ahead should be fetched. */
unsigned prefetch_learn(struct prefetcher *prefetcher, uint64_t pc, uint64_t address,
                        uint64_t ahead[PREFETCH_DEGREE_MAX]);

#endif
