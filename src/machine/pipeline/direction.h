/* Predicts whether a conditional branch is taken: the part that branch.predictor chooses by name.
 *
 * A new one is a file with its struct direction_kind, a row of directions.def and a word of branch.predictor in
 * parameters.def. */
#ifndef STRATA_MACHINE_PIPELINE_DIRECTION_H
#define STRATA_MACHINE_PIPELINE_DIRECTION_H

#include "machine/pipeline/parameters.h"
#include "machine/state/hart.h"

/* Each predictor's own struct begins with this. */
struct direction {
    const struct direction_kind *kind;
};

struct direction_kind {
    const char *name;
    /* NULL if memory runs out. */
    struct direction *(*create)(const struct parameters *parameters);
    /* The branch at `pc` is fetched.  `history` has a bit for each conditional branch of the context before it, the
     * last one lowest.  Says what it predicts, and learns at once which way the branch goes. */
    bool (*predict)(struct direction *direction, guest_addr pc, uint64_t history, bool taken);
    void (*destroy)(struct direction *direction);
};

enum direction_number {
#define DIRECTION(name) DIRECTION_##name,
#include "machine/pipeline/directions.def"
#undef DIRECTION
    DIRECTIONS
};
extern const struct direction_kind *const direction_kinds[DIRECTIONS];

#endif
