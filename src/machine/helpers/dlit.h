/* The delinquent load identification table: which few static loads cause most misses.
 *
 * Loads that miss the second level enter first come, first served.  One that is still there after
 * [dsp] trial instructions, has run often enough since and waited long enough each time is locked as a
 * delinquent load; one that is not makes room for others, and so does one that has not run for long. */
#ifndef STRATA_MACHINE_HELPERS_DLIT_H
#define STRATA_MACHINE_HELPERS_DLIT_H

#include "machine/state/hart.h"

#define DLIT_ENTRIES_MAX 256
/* The hardware compares all entries at once; here most loads are known to be in none of them by a hash. */
#define DLIT_FILTER 1024

struct parameters;

struct dlit_entry {
    guest_addr pc;               /* 0: free */
    uint64_t since;              /* the instruction with which it entered */
    uint64_t executions, waited; /* since then, or since it was looked at last */
    bool locked;
    bool hopeless; /* no slice helps */
    unsigned unused_looks;
    uint64_t trial_executions, trial_waited; /* of the trial that it was locked after */
};

struct dlit_statistics {
    uint64_t entered, locked, dropped;
    uint64_t full; /* misses of loads that found no room */
};

struct dlit {
    const struct parameters *parameters;
    struct dlit_entry entries[DLIT_ENTRIES_MAX]; /* of which [dsp] dlit_entries are there */
    unsigned used;
    uint16_t filter[DLIT_FILTER]; /* entries in use, by the hash of their loads' addresses */
    struct dlit_statistics statistics;
};

/* A load retired as instruction `now` of the program, and waited so long for its data.  The entry of the load, NULL
 * if it has none. */
struct dlit_entry *dlit_retired(struct dlit *dlit, guest_addr pc, bool missed_second,
                                uint64_t waited, uint64_t now);
/* Instruction `now` is a good moment to look at loads that do not come any more. */
void dlit_look(struct dlit *dlit, uint64_t now);
/* The entry of a load; NULL if it has none. */
struct dlit_entry *dlit_find(struct dlit *dlit, guest_addr pc);
void dlit_drop(struct dlit *dlit, struct dlit_entry *entry);

/* Of the hardware. */
uint64_t dlit_storage_bits(const struct parameters *parameters);

#endif
