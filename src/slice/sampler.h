/* Takes windows out of a stream of retired instructions: some before and some after an instance of an
 * instruction that is watched, such as a delinquent load or a trigger.
 *
 * A ring holds the last instructions.  Of each watched address every n-th instance is sampled; when its
 * samples are as many as there is room for, every second one is dropped and n doubles, so that they are
 * spread over the whole run, however long it is. */
#ifndef STRATA_SLICE_SAMPLER_H
#define STRATA_SLICE_SAMPLER_H

#include "slice/walk.h"

#include <stddef.h>

#define SAMPLER_TARGETS_MAX 32
#define SAMPLER_SAMPLES 64 /* of each target; even */

struct slice_window {
    unsigned count; /* instructions, the first `before` of which precede the one that is watched */
    unsigned before;
    struct slice_retired *retired;
};

/* What a run of a program leaves for who asked for samples; plain bytes, so that it can stand in memory that
 * two processes share. */
struct sampler_target {
    uint64_t pc;
    uint64_t executions;
    uint64_t every;  /* n */
    uint64_t due;    /* the instruction at which the open window is complete; 0: none is open */
    unsigned opened; /* instructions that were before it in the ring */
    unsigned samples;
    struct {
        unsigned count, before;
    } windows[SAMPLER_SAMPLES];
};

struct sampler_plan {
    unsigned before, after; /* instructions */
    unsigned target_count;
    struct sampler_target targets[SAMPLER_TARGETS_MAX];
    struct slice_retired retired[]; /* by target, sample and instruction */
};

/* The bytes of a plan for so many targets. */
size_t sampler_plan_bytes(unsigned before, unsigned after, unsigned targets);
/* `plan` is zero. */
void sampler_plan_begin(struct sampler_plan *plan, unsigned before, unsigned after,
                        const uint64_t *pcs, unsigned count);
struct slice_window sampler_window(struct sampler_plan *plan, unsigned target, unsigned sample);

struct sampler;

/* NULL if memory runs out. */
struct sampler *sampler_create(struct sampler_plan *plan);
void sampler_destroy(struct sampler *sampler);
void sampler_retire(struct sampler *sampler, const struct slice_retired *retired);
/* What follows is of another thread, or there is nothing more: windows that are open stay as they are. */
void sampler_break(struct sampler *sampler);

#endif
