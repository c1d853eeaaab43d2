/* The slice information table: which slice works for which delinquent load, and whether it is worth its context. */
#ifndef STRATA_MACHINE_HELPERS_SIT_H
#define STRATA_MACHINE_HELPERS_SIT_H

#include "machine/helpers/helpers.h"
#include "machine/helpers/dlit.h"

#define SIT_ENTRIES_MAX 64

struct parameters;

struct sit_entry {
    guest_addr load; /* 0: free */
    unsigned slice;  /* its number; 0: none yet */
    bool optimized;
    bool rebuild;             /* an optimized one is to be made */
    unsigned failures;        /* to make one */
    struct slice_ledger seen; /* at the last look */
};

enum sit_advice { SIT_KEEP, SIT_OPTIMIZE, SIT_GIVE_UP };

struct sit {
    const struct parameters *parameters;
    struct sit_entry entries[SIT_ENTRIES_MAX]; /* of which [dsp] sit_entries are there */
    bool may_optimize;
    uint64_t installed, optimized, given_up, destroyed, full;
};

/* NULL if there is no room. */
struct sit_entry *sit_find(struct sit *sit, guest_addr load, bool enter);
/* What should become of a slice, by what it did since the last look and how its load fared. */
enum sit_advice sit_look(const struct sit *sit, struct sit_entry *entry,
                         const struct slice_ledger *ledger, const struct dlit_entry *load);

/* Of the hardware, with the slice cache. */
uint64_t sit_storage_bits(const struct parameters *parameters);

#endif
