/* Runs what a plan has not run yet, in several processes at a time. */
#ifndef STRATA_STUDY_RUNNER_H
#define STRATA_STUDY_RUNNER_H

#include "study/plan.h"
#include "study/progress.h"
#include "study/store.h"

struct runner {
    struct pool *pool;
    struct store *store;
    struct progress *progress;
    const char *strata;       /* the file that is executed */
    unsigned workers;         /* processes at a time */
    unsigned timeout_seconds; /* for one run; 0: as long as it takes */
    /* Told of each job that is done; false ends the study. */
    bool (*finished)(void *context, const struct job *job);
    void *finished_context;
    bool refused; /* the runner's own: it returned false */
};

enum runner_end { RUNNER_DONE, RUNNER_CANNOT_WRITE, RUNNER_INTERRUPTED, RUNNER_REFUSED };

/* Ends with each job done or failed, unless the folder cannot be written (store->problem), `finished` returns false or
 * *signal arrived; then no process of it is left, and what was finished is in the store. */
enum runner_end runner_run(struct runner *runner, struct plan *plan, int *signal);

#endif
