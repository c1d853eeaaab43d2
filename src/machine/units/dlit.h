/* The delinquent load identification table: which few static loads cause most misses.
 *
 * Loads that miss the second level enter first come, first served.  One that is still there after
 * DLIT_TRIAL instructions, has run often enough since and waited long enough each time is locked as a
 * delinquent load; one that is not makes room for others. */
#ifndef STRATA_MACHINE_UNITS_DLIT_H
#define STRATA_MACHINE_UNITS_DLIT_H

#include "machine/hart.h"

#define DLIT_ENTRIES 64
#define DLIT_TRIAL (UINT64_C(128) * 1024) /* instructions */
#define DLIT_EXECUTIONS 100
#define DLIT_WAIT 4 /* cycles; more than these */

struct dlit_entry {
    guest_addr pc;               /* 0: free */
    uint64_t since;              /* the instruction with which it entered, or was looked at last */
    uint64_t executions, waited; /* since then */
    bool locked;
    uint64_t trial_executions, trial_waited; /* of the trial that it was locked after */
};

struct dlit_statistics {
    uint64_t entered, locked, dropped;
    uint64_t full; /* misses of loads that found no room */
};

struct dlit {
    struct dlit_entry entries[DLIT_ENTRIES];
    unsigned used;
    struct dlit_statistics statistics;
};

/* A load retired as instruction `now` of the program, and waited so long for its data.  `*place` is where it
 * was found last, or any number below DLIT_ENTRIES.  The entry of the load, NULL if it has none. */
struct dlit_entry *dlit_retired(struct dlit *dlit, guest_addr pc, bool missed_second,
                                uint64_t waited, uint64_t now, uint8_t *place);
/* Instruction `now` is a good moment to look at loads that do not come any more. */
void dlit_look(struct dlit *dlit, uint64_t now);
void dlit_drop(struct dlit *dlit, struct dlit_entry *entry);

/* Of the hardware. */
uint64_t dlit_storage_bits(void);

#endif
