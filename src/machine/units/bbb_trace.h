/* Traces of a hot spot: paths along branches that the branch behaviour buffer has as candidates.
 *
 * After Merten and others, IEEE Transactions on Computers 2001.  Once there is a hot spot, retired branches are followed
 * for a while.  A trace begins where a candidate leads backward, itself or by the direct jump that it leads to.  It goes
 * on as long as each conditional branch is a candidate that goes the way it mostly goes. */
#ifndef STRATA_MACHINE_UNITS_BBB_TRACE_H
#define STRATA_MACHINE_UNITS_BBB_TRACE_H

#include "machine/units/bbb_buffer.h"
#include "machine/units/blocks.h"

/* Heads of one hot spot, at the most. */
#define BBB_HEADS_MOST 64

struct bbb_trace_sizes {
    unsigned blocks; /* of a trace, at the most */
    unsigned heads;  /* of a hot spot: so many traces are given */
    uint64_t bias;   /* percent of its executions in which a branch goes the way it mostly goes */
};

struct bbb_trace_counts {
    uint64_t complete; /* traces that came back to their head */
    uint64_t open;     /* traces that ended elsewhere */
    uint64_t
        dropped; /* that were begun and not given, since a branch went the other way or control left */
};

struct bbb_traces {
    struct bbb_trace_sizes sizes;
    struct finds *finds;
    bool under_way;
    uint64_t at; /* where the trace under way has come to */
    struct find path;
    const struct hart *hart; /* whose branches it follows: no other hart's are on it */
    /* The last branch of a candidate, and where it led. */
    const struct hart *last_hart;
    uint64_t last_next;
    uint64_t heads[BBB_HEADS_MOST]; /* that were given */
    unsigned head_count;
    struct bbb_trace_counts counts;
};

/* For a hot spot that was just detected. */
void bbb_traces_start(struct bbb_traces *traces);
/* The trace under way does not go on. */
void bbb_traces_forget(struct bbb_traces *traces);
/* A branch or jump retires; `entry` is what the buffer has of it, NULL for jumps and unknown branches.  True if it ends
 * a trace that is now among the finds. */
bool bbb_traces_follow(struct bbb_traces *traces, const struct watch_event *event,
                       const struct bbb_entry *entry);
/* True if a hot spot has as many traces as it can have. */
bool bbb_traces_full(const struct bbb_traces *traces);
struct unit_cost bbb_traces_cost(const struct bbb_traces *traces);

#endif
