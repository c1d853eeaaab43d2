/* What is to be run: each run once, whichever experiments need it. */
#ifndef STRATA_STUDY_PLAN_H
#define STRATA_STUDY_PLAN_H

#include "study/catalogue.h"

#define TRANSLATOR_FILE "strata-rv64"

enum job_state { JOB_WAITING, JOB_RUNNING, JOB_DONE, JOB_FAILED };

/* One run of one program. */
struct job {
    const char *key; /* the same for the same program, options and Strata, and for nothing else */
    const struct program *program;
    const char **options; /* `run` or `sim`, then the options; NULL-terminated */
    bool profiled;        /* --profile is wanted, too */
    struct job *source;   /* whose statistics addresses.path is in; NULL: it needs no such file */
    struct addresses addresses;
    const char *command; /* as a person would type it */
    enum job_state state;
    const char *why; /* it failed */
};

/* An experiment with its programs. */
struct planned {
    const struct experiment *experiment;
    const struct words *besides;     /* options of its runs with --machine at this size; or NULL */
    struct words names;              /* of all programs that it is about */
    const struct program **programs; /* those of them that are there */
    size_t program_count;
    struct job **jobs; /* by program, point of the axis, and run: plan_job */
};

struct plan {
    struct pool *pool;
    struct catalogue *catalogue;
    char strata_sha256[SHA256_TEXT_BYTES];
    char translator_sha256[SHA256_TEXT_BYTES];
    struct job **jobs;
    size_t job_count;
    struct planned *experiments;
    size_t experiment_count;
    struct words missing; /* programs that are not built */
};

/* `translator`: the file of the translator; a study of `sim` alone needs none. */
bool plan_begin(struct plan *plan, struct catalogue *catalogue, const char *strata,
                const char *translator);
/* `suite` takes the place of the experiment's own, unless it is NULL.  False with script->problem. */
bool plan_add(struct plan *plan, struct script *script, const struct experiment *experiment,
              const char *suite);
/* The file of the processor that `name` behind --machine means to a run of the program, which has its folder; NULL if
 * there is none. */
const char *plan_processor(struct pool *pool, const struct program *program, const char *name);
struct job *plan_job(const struct planned *planned, size_t program, size_t point, size_t run);

#endif
