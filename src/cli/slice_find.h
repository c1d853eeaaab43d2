/* Finds the slices of a program: its delinquent loads, a trigger for each, and what must be computed between both. */
#ifndef STRATA_CLI_SLICE_FIND_H
#define STRATA_CLI_SLICE_FIND_H

#include "cli/slice_runs.h"
#include "slice/choose.h"
#include "slice/section.h"

#define FIND_LOADS_MAX (SAMPLER_TARGETS_MAX / 2) /* each may be its own trigger, too */
#define FIND_MISSES_MIN 1000                     /* fewer are not worth a slice */
#define FIND_SHARE 0.9 /* of all misses, that the delinquent loads have together */

struct find_settings {
    struct slice_rules rules;
    unsigned distance, window; /* choose.h */
    unsigned loads_max;
    double share;
};

/* What became of a delinquent load. */
struct found_load {
    uint64_t pc; /* linked */
    uint64_t executions, misses;
    int slice;       /* its number in the set; -1: it has none */
    const char *why; /* then; constant */
};

struct found {
    struct slice_set set;
    struct found_load loads[FIND_LOADS_MAX];
    unsigned load_count;
    uint64_t misses;    /* of all loads */
    unsigned elsewhere; /* see struct load_profile */
};

/* 0, or the exit status to end with; then it has printed why. */
int slice_find(struct found *found, struct slice_runs *runs, const struct find_settings *settings);
void slice_found_free(struct found *found);

#endif
