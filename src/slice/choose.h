/* Chooses a trigger and a slice for a delinquent load from windows of a program's run, in two passes.
 *
 * The first pass looks at what came before the load: where the load comes back within the window it is in
 * a loop, and the trigger is the place in it, or in a loop around it, from which a short slice does for many
 * misses; else an instruction that is nearly always there, about `distance` instructions before.  The second pass looks at what follows
 * the trigger: it is kept if the load does, often enough, and the slice is the one that most windows give. */
#ifndef STRATA_SLICE_CHOOSE_H
#define STRATA_SLICE_CHOOSE_H

#include "slice/build.h"
#include "slice/sampler.h"

#define CHOOSE_DISTANCE 128 /* instructions from a trigger to its load, where there is no loop */
#define CHOOSE_WINDOW 256   /* instructions in which the load must follow */
#define CHOOSE_FOLLOWED 0.5 /* share of a trigger's instances that its load must follow */

struct choose_windows {
    const struct slice_window *windows;
    unsigned count;
};

/* The trigger's address; 0 if there is none. */
uint64_t choose_trigger(const struct choose_windows *before, uint64_t load,
                        const struct slice_pcs *others, const struct slice_rules *rules,
                        unsigned distance);

enum choose_result {
    CHOOSE_OK,
    CHOOSE_SELDOM, /* the load does not follow often enough */
    CHOOSE_NONE,   /* no slice can be made: *built says why */
};

/* origin.misses is left alone. */
enum choose_result choose_slice(struct slice *slice, const struct choose_windows *after,
                                uint64_t load, const struct slice_pcs *others,
                                const struct slice_rules *rules, unsigned window,
                                enum slice_built *built);

#endif
