/* The results of a study: one JSON document, and a table (CSV) for each experiment. */
#ifndef STRATA_STUDY_RESULTS_H
#define STRATA_STUDY_RESULTS_H

#include "report/sources.h"
#include "study/plan.h"
#include "study/store.h"

#define RESULTS_FILE "results.json"

struct results_header {
    const char *title;
    const char *suite; /* NULL: each experiment's own */
    const char *version;
    const char *notice; /* what a reader must know before he believes a figure; NULL: nothing */
    const struct source_rules *sources; /* which its listings may show */
};

/* Writes the tables, then results.json, and gives the document, which the caller frees; NULL if
 * something cannot be written: store->problem.  Nothing in it depends on time, on the order of the
 * runs or on where the files are, but for the source lines in its listings. */
json_t *results_write(struct store *store, const struct plan *plan,
                      const struct results_header *header);

#endif
