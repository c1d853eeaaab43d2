/* A study from its experiment files to its results. */
#ifndef STRATA_STUDY_STUDY_H
#define STRATA_STUDY_STUDY_H

#include "report/sources.h"
#include "study/experiment.h"

/* Exit statuses; a signal's is 128 and its number. */
enum { STUDY_DONE = 0, STUDY_RUNS_FAILED = 1, STUDY_BAD_FILE = 2, STUDY_FAILED = 125 };

struct study_request {
    const char *command; /* `study` or `sweep`, for messages */
    const char *version;
    const char *output;
    const char *file;        /* the one experiment; NULL: those in the folder */
    const char *experiments; /* the folder; NULL: where Strata's own are */
    struct words names;      /* of the experiments that are wanted; none: all */
    const char *programs;    /* folder; NULL: beside strata */
    const char *suite;       /* instead of the experiments' own; or NULL */
    const char *spec;        /* the reader's SPEC 2000 tree; or NULL */
    const char *size;        /* test, small or full */
    unsigned workers;        /* 0: as many as there are cores */
    unsigned timeout_seconds;
    struct source_rules sources; /* that its pages may show */
};

/* Prints what is wrong, and a last line of what was done.  Returns the exit status. */
int study_run(const struct study_request *request);

#endif
