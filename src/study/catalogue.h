/* The programs that there are: by name, in suites, and what each must print. */
#ifndef STRATA_STUDY_CATALOGUE_H
#define STRATA_STUDY_CATALOGUE_H

#include "base/sha256.h"
#include "study/experiment.h"

struct program {
    const char *name;
    const char *folder; /* it runs there */
    const char *input;  /* standard input, from there; NULL: none */
    const char **words; /* its command; the first is its file, from there */
    size_t word_count;
    const char *seen;      /* the path at which it sees itself; NULL: its own */
    const char *last_line; /* that its output must have; NULL: nobody said */
    bool built;            /* it is there and can be executed */
    char sha256[SHA256_TEXT_BYTES];
};

struct suite {
    const char *name;
    struct words programs;
};

struct catalogue {
    struct pool *pool;
    const char *folder; /* of the programs that have no command of their own */
    const char *size;   /* what these are given */
    struct suite *suites;
    size_t suite_count;
    struct program **programs; /* found so far */
    size_t program_count;
    struct own_program *own; /* of the lists of suites, which stand in own_base */
    const char **own_base;
    size_t own_count;
    struct digest_row *digests; /* of results.list */
    size_t digest_count;
};

/* Reads the suites in the list at `path`; commands in it are relative to `base`.  False with
 * script->problem. */
bool catalogue_read_suites(struct catalogue *catalogue, struct script *script, const char *path,
                           const char *base);
/* Reads what the programs in the folder must print, if it says so. */
bool catalogue_read_digests(struct catalogue *catalogue, struct script *script);

const struct suite *catalogue_find_suite(const struct catalogue *catalogue, const char *name);
/* NULL if nobody knows the name.  The experiment's own programs come first. */
const struct program *catalogue_find_program(struct catalogue *catalogue, const char *name,
                                             const struct experiment *experiment);

#endif
