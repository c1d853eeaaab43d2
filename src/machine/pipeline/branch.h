/* Predicts where fetch goes on: directions, targets and returns. */
#ifndef STRATA_MACHINE_PIPELINE_BRANCH_H
#define STRATA_MACHINE_PIPELINE_BRANCH_H

#include "machine/state/hart.h"
#include "machine/pipeline/direction.h"

#include <stdbool.h>
#include <stdint.h>

/* What kind of branch an instruction is to the predictor. */
enum branch_kind {
    BRANCH_NONE,
    BRANCH_CONDITIONAL,
    BRANCH_JUMP,   /* jal */
    BRANCH_CALL,   /* jal or jalr that leaves a return address */
    BRANCH_RETURN, /* jalr from a return address */
    BRANCH_INDIRECT,
};

struct branch_site {
    guest_addr pc, next; /* its address, and that of what follows it */
    guest_addr target;   /* of a direct one, known when it is decoded; 0: when it is executed */
    enum branch_kind kind;
};

/* When fetch learns where it goes on behind an instruction. */
enum fetch_outcome {
    FETCH_PREDICTED,    /* at once */
    FETCH_MISFETCHED,   /* when it is decoded: the direction was right, the target unknown */
    FETCH_MISPREDICTED, /* when it is executed */
};

struct target_entry {
    uint64_t tag; /* the branch's address, plus 1 */
    guest_addr target;
};

/* What is of one context. */
struct return_stack {
    guest_addr *entries;
    unsigned top; /* where the last one is */
    uint64_t history;
};

struct branch_statistics {
    uint64_t conditional, conditional_wrong;
    uint64_t indirect, indirect_wrong;
    uint64_t returns, returns_wrong;
    uint64_t misfetched;
};

/* Of all kinds together. */
struct branch_counts {
    uint64_t all, wrong;
};

static inline struct branch_counts branch_counts(const struct branch_statistics *s)
{
    return (struct branch_counts){.all = s->conditional + s->indirect + s->returns,
                                  .wrong =
                                      s->conditional_wrong + s->indirect_wrong + s->returns_wrong};
}

struct branch_predictor {
    struct direction *direction; /* of conditional branches */
    uint64_t target_ways, target_mask;
    uint64_t stack_entries;
    struct target_entry *targets; /* by set, the last used first; NULL: all are known */
    struct return_stack *stacks;  /* by context */
    unsigned contexts;
    struct branch_statistics statistics;
};

bool branch_create(struct branch_predictor *predictor, const struct parameters *parameters);
void branch_destroy(struct branch_predictor *predictor);

/* A branch is fetched, and `actual` is where it goes.  The predictor learns it at once, so that what it knows
 * is what a real one knows when branches are far apart.  Where a direct branch cannot go, a callback or a
 * handler begins, which nothing predicts; which way the branch would have gone is not known then. */
enum fetch_outcome branch_fetch(struct branch_predictor *predictor, unsigned context,
                                const struct branch_site *site, guest_addr actual);

#endif
