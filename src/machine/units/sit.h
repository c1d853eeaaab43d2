/* The slice information table: which slice works for which delinquent load, and whether it is worth its context. */
#ifndef STRATA_MACHINE_UNITS_SIT_H
#define STRATA_MACHINE_UNITS_SIT_H

#include "machine/pipeline/helpers.h"
#include "machine/units/dlit.h"

#define SIT_ENTRIES 16
#define SIT_SLICE_INSTRUCTIONS 64 /* room in the slice cache */

/* A slice is looked at after so many instructions of the main thread. */
#define SIT_LOOK (UINT64_C(128) * 1024)
/* What was started less often meanwhile is left alone. */
#define SIT_STARTED 32
/* A load that did not run for so many looks needs no slice. */
#define SIT_UNUSED_LOOKS 8

struct sit_entry {
    guest_addr load; /* 0: free */
    unsigned slice;  /* its number; 0: none yet */
    bool optimized;
    bool given_up;     /* nothing helps: the entry only remembers that */
    bool rebuild;      /* an optimized one is to be made */
    unsigned failures; /* to make one */
    unsigned unused_looks;
    struct slice_ledger seen; /* at the last look */
};

enum sit_advice { SIT_KEEP, SIT_OPTIMIZE, SIT_GIVE_UP, SIT_DESTROY };

struct sit {
    struct sit_entry entries[SIT_ENTRIES];
    bool may_optimize;
    uint64_t installed, optimized, given_up, destroyed, full;
};

/* NULL if there is no room. */
struct sit_entry *sit_find(struct sit *sit, guest_addr load, bool enter);
/* What should become of a slice, by what it did since the last look and how its load fared. */
enum sit_advice sit_look(const struct sit *sit, struct sit_entry *entry,
                         const struct slice_ledger *ledger, const struct dlit_entry *load);

/* Of the hardware, with the slice cache. */
uint64_t sit_storage_bits(void);

#endif
