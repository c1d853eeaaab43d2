/* The branch behaviour buffer: which conditional branches are executed often, and when they are nearly all of them.
 *
 * After Merten and others, ISCA 1999.  An entry counts how often its branch is executed and how often it is taken; a
 * branch that reaches a number of executions is a candidate.  Now and then the refresh timer throws out what has not
 * become one, so branches that are rare in comparison never do, and the clear timer throws out all.  The hot spot
 * detection counter goes down at each candidate and up at each other branch: when it reaches zero, candidates dominate,
 * and that is a hot spot. */
#ifndef STRATA_MACHINE_UNITS_BBB_BUFFER_H
#define STRATA_MACHINE_UNITS_BBB_BUFFER_H

#include "machine/engine/unit.h"

struct bbb_sizes {
    uint64_t sets, ways;
    unsigned counter_bits;         /* of executions and of those that are taken */
    uint64_t candidate;            /* executions that make a branch a candidate */
    unsigned detection_bits;       /* of the detection counter */
    uint64_t decrement, increment; /* its steps: at a candidate, and at any other branch */
    uint64_t refresh, clear;       /* conditional branches from one time to the next */
};

/* Both counters stop when `executed` is full: their ratio stays what it is until the entry goes. */
struct bbb_entry {
    uint64_t tag;
    uint32_t executed, taken; /* executed 0: the entry is free */
    bool candidate;
};

struct bbb_counts {
    uint64_t branches;   /* conditional branches */
    uint64_t candidates; /* entries that became candidates */
    uint64_t refreshes, thrown_out, clears;
    uint64_t replaced;   /* entries that went for another branch */
    uint64_t unrecorded; /* executions of branches whose set was full of candidates */
    uint64_t saturated;  /* executions that were not counted since the counter was full */
};

struct bbb_buffer {
    struct bbb_sizes sizes;
    struct bbb_entry *entries;
    uint64_t detection, since_refresh, since_clear;
    bool hot; /* a hot spot was detected, and nothing has been cleared since */
    struct bbb_counts counts;
};

enum bbb_outcome {
    BBB_GOES_ON,
    BBB_DETECTED, /* this branch made it clear that there is a hot spot */
    BBB_CLEARED,
};

/* False if memory runs out. */
bool bbb_buffer_create(struct bbb_buffer *buffer, const struct bbb_sizes *sizes);
void bbb_buffer_destroy(struct bbb_buffer *buffer);

/* A conditional branch retires.  While the buffer is `frozen`, because it is read, only the clear timer goes on. */
enum bbb_outcome bbb_buffer_branch(struct bbb_buffer *buffer, uint64_t pc, bool taken, bool frozen);
/* NULL: the branch has none. */
const struct bbb_entry *bbb_buffer_find(const struct bbb_buffer *buffer, uint64_t pc);
/* Entries that are candidates now. */
uint64_t bbb_buffer_candidates(const struct bbb_buffer *buffer);
struct unit_cost bbb_buffer_cost(const struct bbb_buffer *buffer);

#endif
