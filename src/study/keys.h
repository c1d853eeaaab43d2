/* Whether the statistics of runs have the keys that an experiment's values name. */
#ifndef STRATA_STUDY_KEYS_H
#define STRATA_STUDY_KEYS_H

#include "study/plan.h"
#include "study/script.h"

#include <jansson.h>

/* A run's key as a value writes it, and what became of it so far. */
struct key_use {
    const struct experiment *experiment;
    const char *text; /* RUN.KEY.KEY */
    unsigned line;
    bool present, missing; /* in at least one of the runs that have ended */
};

struct keys {
    struct pool *pool;
    const struct plan *plan;
    struct key_use *uses;
    size_t use_count;
};

/* Looks at the statistics of a run that has ended.  False, with the file and line in script->problem, if a value asks
 * for what no run with its options can have. */
bool keys_look(struct keys *keys, struct script *script, const struct job *job,
               const json_t *statistics);

/* When all runs have ended.  False in the same way if a value asks for what none of them has. */
bool keys_conclude(const struct keys *keys, struct script *script);

#endif
