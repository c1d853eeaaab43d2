/* The folder of a study: finished runs, and files that are there whole or not at all. */
#ifndef STRATA_STUDY_STORE_H
#define STRATA_STUDY_STORE_H

#include "study/pool.h"

#include <jansson.h>
#include <stdbool.h>

struct store {
    struct pool *pool;
    const char *folder;
    int lock;
    char problem[512]; /* why the last call failed */
};

/* What a run leaves. */
struct store_run {
    const char *command; /* as a person would type it */
    const char *output;  /* SHA-256 of its standard output */
    const char *last_line;
    const void *statistics;
    size_t statistics_bytes;
    const void *profile; /* NULL: none was asked for */
    size_t profile_bytes;
};

/* Makes the folder if it is not there, and takes away what an interrupted study left half-written.
 * Only one study at a time can have it. */
bool store_open(struct store *store, struct pool *pool, const char *folder);
void store_close(struct store *store);

/* Writes a file of the folder; the old one stays until the new one is complete. */
bool store_write(struct store *store, const char *name, const void *data, size_t bytes);
bool store_write_run(struct store *store, const char *key, const struct store_run *run);

/* The statistics of a finished run, with its profile as "profile"; NULL if there is none, or none
 * that can be trusted: then store->problem says why, and else is empty. */
json_t *store_read_run(struct store *store, const char *key);
/* What `name` was in the notes on a run; NULL if it is not there. */
const char *store_read_note(struct store *store, const char *key, const char *name);

#endif
