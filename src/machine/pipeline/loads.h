/* What each static load did: how often it missed and where, and how long retirement waited for it.
 *
 * A few delinquent loads cause most misses.  Kept only when asked for (pipeline_count_loads): the shadow
 * caches that tell capacity misses take time. */
#ifndef STRATA_MACHINE_PIPELINE_LOADS_H
#define STRATA_MACHINE_PIPELINE_LOADS_H

#include "machine/state/hart.h"
#include "machine/units/origins.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOAD_LEVELS 3

struct unit;

/* One level, as this load saw it. */
struct load_level {
    uint64_t accesses; /* that reached it */
    uint64_t misses;   /* that found no line */
    uint64_t merged;   /* that found it on its way: neither hits nor misses */
    uint64_t capacity; /* of the misses */
};

struct load_site {
    guest_addr pc;   /* in the program, if the load is its own */
    uint32_t word;   /* of the instruction there: code may change */
    uint32_t copies; /* how many copies of the load were executed */
    enum owner owner;
    uint64_t executions;
    uint64_t forwarded;      /* executions that took their data from a store */
    uint64_t latency_cycles; /* from issue to data, all executions together */
    uint64_t stall_slots;    /* of retirement, while it was the oldest instruction and not done */
    struct load_level levels[LOAD_LEVELS];
};

struct loads;

/* NULL if memory runs out. */
struct loads *loads_create(const struct origins *origins);
struct unit *loads_unit(struct loads *loads);
/* Loads that are decoded in this range from now on are others than before. */
void loads_forget(struct loads *loads, guest_addr start, uint64_t bytes);

/* All loads that were executed, copies of one summed, those with the most misses of the first level first, then
 * by address: malloc'ed. */
struct load_site *loads_ranked(const struct loads *loads, size_t *count);

#endif
