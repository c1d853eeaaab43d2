/* Which branches always go the same way: the bias tables of rePLay.
 *
 * An entry holds the way that its branch went last, and how often it has gone that way without a break.  A branch that
 * has done so often enough is promoted; the first time that it goes another way it is an ordinary branch again.  One
 * table is for conditional branches, whose ways are two; another for indirect jumps, whose ways are addresses. */
#ifndef STRATA_MACHINE_UNITS_FRAMES_BIAS_H
#define STRATA_MACHINE_UNITS_FRAMES_BIAS_H

#include "machine/engine/unit.h"

struct frames_bias_sizes {
    uint64_t sets, ways;
    uint64_t promote;      /* equal ways in a row that promote a branch */
    unsigned history_bits; /* of a key: ways of the branches before */
    unsigned way_bits;
};

struct frames_bias_counts {
    uint64_t promoted;
    uint64_t demoted; /* promoted branches that went another way */
    uint64_t lost;    /* promoted branches whose entry went to another one */
};

struct frames_bias {
    struct frames_bias_sizes sizes;
    struct bias_entry *entries;
    uint64_t time; /* executions: the entry that was not used for longest goes first */
    struct frames_bias_counts counts;
};

/* False if memory runs out. */
bool frames_bias_create(struct frames_bias *bias, const struct frames_bias_sizes *sizes);
void frames_bias_destroy(struct frames_bias *bias);
/* The branch of the key went that way.  True if it was promoted, and for the same way. */
bool frames_bias_branch(struct frames_bias *bias, uint64_t key, uint64_t way);
struct unit_cost frames_bias_cost(const struct frames_bias *bias);

#endif
