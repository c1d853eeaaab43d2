/* The retired instruction buffer: what the main thread executes from one instance of a delinquent load to the
 * next, and the slice that this makes. */
#ifndef STRATA_MACHINE_HELPERS_RIB_H
#define STRATA_MACHINE_HELPERS_RIB_H

#include "slice/build.h"

#include <stdbool.h>

#define RIB_ENTRIES_MAX 4096

struct rib_statistics {
    uint64_t recordings, overflows, slices, refused;
};

struct rib {
    bool recording;
    uint64_t load; /* pc */
    const struct slice_rules *rules;
    unsigned entries; /* at most RIB_ENTRIES_MAX */
    unsigned count;
    unsigned turn; /* with rules that chain: where the load came again; 0: not yet */
    struct slice_retired retired[RIB_ENTRIES_MAX];
    struct rib_statistics statistics;
};

enum rib_answer { RIB_WAITS, RIB_SLICE, RIB_FAILED };

/* The load has just retired: what follows is recorded. */
void rib_begin(struct rib *rib, const struct slice_retired *load, const struct slice_rules *rules);
/* The next instruction, while it records; RIB_SLICE: *slice is there. */
enum rib_answer rib_retired(struct rib *rib, const struct slice_retired *retired,
                            struct slice *slice);

/* Of the hardware; only what is walked through the stack needs addresses. */
uint64_t rib_storage_bits(const struct rib *rib, bool with_addresses);

#endif
