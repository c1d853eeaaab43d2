/* Builds a slice from a trace that begins with its trigger. */
#ifndef STRATA_SLICE_BUILD_H
#define STRATA_SLICE_BUILD_H

#include "slice/walk.h"

#include <stddef.h>

/* What may be done to a slice. */
struct slice_rules {
    bool through_stack;  /* follow values through store-load pairs on the stack */
    bool fold;           /* copies and constants */
    bool chain;          /* start the next one where there is a loop */
    bool guard;          /* stop where the loop ends, if that is easy to tell */
    unsigned length_max; /* of prologue and body; at most SLICE_INSTRUCTIONS_MAX */
    unsigned
        ahead; /* instructions of the main thread that a basic slice should run ahead: how often
                            the prologue is unrolled; 0: not at all, then there is none */
    unsigned unroll; /* of a chaining slice's prologue; 0 means 1 */
};

/* The RIB's simple form, and the offline tool's. */
extern const struct slice_rules slice_rules_simple, slice_rules_optimized;

/* Addresses, few, and what each is worth. */
struct slice_pcs {
    const uint64_t *pcs;
    const uint64_t *misses; /* NULL: all are worth the same */
    size_t count;
};

bool slice_pcs_have(const struct slice_pcs *pcs, uint64_t pc);
/* What those among them are worth that a slice is made for. */
uint64_t slice_pcs_worth(const struct slice_pcs *pcs, const struct slice *slice);

enum slice_built {
#define SLICE_BUILT(code, message) SLICE_BUILT_##code,
#include "slice/built.def"
#undef SLICE_BUILT
};

const char *slice_built_message(enum slice_built built);

/* The first instruction of the trace is the trigger.  The slice is for `load` where it stands first
 * behind the trigger, and for those of `others` that come before the trigger does again, or before the
 * trace ends, and share instructions or live-ins with it.
 *
 * `turn` is the index of the trigger's next instance, where the loop has turned once: the trace
 * between both gives the prologue.  Without one (0) the slice is a basic one without prologue.
 * slice->origin is left alone but for `traced`, the instructions from the trigger to the last load that
 * the slice works for, `unroll` turns ahead. */
enum slice_built slice_build(struct slice *slice, const struct slice_trace *trace, unsigned turn,
                             uint64_t load, const struct slice_pcs *others,
                             const struct slice_rules *rules);

/* Builds a slice from what the retired instruction buffer holds: it begins with one instance of the load, which is
 * the trigger, and ends with the next one. */
enum slice_built slice_build_between(struct slice *slice, const struct slice_retired *retired,
                                     unsigned count, const struct slice_rules *rules);

#endif
