/* The runs of a program that `strata slice` makes: one to find its delinquent loads, others for windows of what it executes. */
#ifndef STRATA_CLI_SLICE_RUNS_H
#define STRATA_CLI_SLICE_RUNS_H

#include "cli/simulation.h"
#include "slice/sampler.h"

#define PROFILE_LOADS 64

struct profiled_load {
    uint64_t pc;     /* in memory */
    uint64_t offset; /* in the program's file */
    uint64_t executions, misses;
};

/* What the first run says; in memory that this process shares with the one that runs the program. */
struct load_profile {
    uint64_t misses; /* of all loads */
    unsigned count;
    unsigned elsewhere; /* loads with many misses that are not in the program's own file */
    struct profiled_load loads[PROFILE_LOADS]; /* in the program's own, by misses */
};

struct slice_runs {
    struct simulation *simulation; /* what is the same in all runs */
    char **arguments;              /* the program and its words */
    int input; /* its standard input, from `start` on; -1: it has what we have */
    int64_t start;
    unsigned made;
};

/* Memory that a run can write to; NULL if there is none. */
void *slice_runs_share(size_t bytes);

/* Before the first run: standard input is kept, so that each run reads the same.  False, with a message, if it
 * cannot be. */
bool slice_runs_begin(struct slice_runs *runs);
void slice_runs_end(struct slice_runs *runs);

/* Each returns 0, or the exit status to end with, with a message.  The program's own output goes nowhere;
 * what it writes to standard error is shown once. */
int slice_runs_profile(struct slice_runs *runs, struct load_profile *profile);
int slice_runs_sample(struct slice_runs *runs, struct sampler_plan *plan);

#endif
