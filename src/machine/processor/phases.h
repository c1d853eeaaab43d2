/* Which part of a long program is simulated how: fast, to warm caches and predictors, or cycle by cycle.
 *
 * A plan is made of the options; without one the whole program is measured.  Phases end at exact numbers
 * of instructions, or where a program marks a region of itself (struct marked_region). */
#ifndef STRATA_MACHINE_PROCESSOR_PHASES_H
#define STRATA_MACHINE_PROCESSOR_PHASES_H

#include "machine/pipeline/sampling.h"

#include <stdbool.h>
#include <stdint.h>

struct pipeline;

/* In the order of what they cost. */
enum phase {
    PHASE_FAST,    /* instructions only */
    PHASE_WARM,    /* instructions touch lines, translations, predictors; no cycles */
    PHASE_DETAIL,  /* cycle by cycle, not counted: fills the pipeline before a measurement */
    PHASE_MEASURE, /* cycle by cycle, counted */
    PHASE_COUNT
};

#define PHASE_FOREVER UINT64_MAX
#define SAMPLE_PERIOD_MOST UINT64_C(1000000000000)
#define SAMPLE_MEASURE_DEFAULT 1000    /* instructions */
#define SAMPLE_WARM_DEFAULT UINT64_MAX /* half of the period */

struct phase_options {
    bool interval;                /* --skip, --warm or --measure was given */
    uint64_t skip, warm, measure; /* instructions; `measure` is PHASE_FOREVER without an end */
    bool regions;                 /* --roi: only what the program marks is measured */
    uint64_t period;              /* --sample: 0: none */
    uint64_t sample_measure, sample_warm; /* of each period */
};

/* What the program marks, whoever looks at it. */
struct marked_region {
    uint64_t depth; /* begins without an end; open above 0 */
    uint64_t begun; /* regions */
    uint64_t instructions;
    uint64_t opened_at; /* the open one, in instructions of the program */
};

struct phases {
    struct phase_options options;
    bool planned;    /* false: all is measured */
    uint64_t detail; /* instructions of PHASE_DETAIL before a measurement */
    enum phase now;
    uint64_t began, ends;                /* in instructions of the program */
    unsigned step;                       /* of the interval or the sample */
    uint64_t period_start, sample_start; /* --sample: the period under way, and its measurement */
    uint64_t random;
    uint64_t instructions[PHASE_COUNT]; /* of the phases that have ended */
    uint64_t intervals;                 /* measured ones that have begun */
    struct marked_region region;
    struct sampling sampling;
    struct measurement before; /* what was counted when the measurement under way began */
};

/* `pipeline` may be NULL: then there is no plan, only regions. */
void phases_begin(struct phases *phases, const struct phase_options *options,
                  struct pipeline *pipeline, uint64_t reorder_buffer);
/* The shortest period that has room for a measurement and what leads to it. */
uint64_t phases_shortest_period(const struct phase_options *options, uint64_t reorder_buffer);
/* The program has come to `instructions`: enters the phase that belongs there.  The pipeline is between
 * two cycles; it is drained when cycles end. */
void phases_advance(struct phases *phases, struct pipeline *pipeline, uint64_t instructions);
/* The program ended there. */
void phases_end(struct phases *phases, struct pipeline *pipeline, uint64_t instructions);

/* The program's marker: its `instructions`th one begins or ends a region. */
void phases_mark(struct phases *phases, bool begins, uint64_t instructions);
/* Instructions in regions, when the program has come to `instructions`. */
uint64_t phases_region_instructions(const struct phases *phases, uint64_t instructions);

static inline bool phases_in_detail(const struct phases *phases)
{
    return phases->now >= PHASE_DETAIL;
}

/* Whether there is anything to show: an interval that was measured. */
static inline bool phases_measured(const struct phases *phases)
{
    return phases->intervals > 0;
}

#endif
