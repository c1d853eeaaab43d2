/* Writes a page: one HTML file that holds all it needs, and is read in a browser without a network. */
#ifndef STRATA_REPORT_PAGE_H
#define STRATA_REPORT_PAGE_H

#include "report/sources.h"

#include <jansson.h>
#include <stdio.h>

/* What this build lacks to write pages, in one line that continues "strata: "; NULL if nothing. */
const char *page_missing(void);

/* Writes the page of `document`, which is the results of a study (strata.study/1) or what
 * page_of_runs made.  0; or -1 with errno if it cannot be written.  The caller flushes and closes.
 * Not to be called if page_missing. */
int page_write(FILE *file, const json_t *document);

/* One or two files of statistics as the document of a page (strata.report/1), with the source or
 * the instructions of their hottest loops, as far as `rules` allow; the caller frees it. */
json_t *page_of_runs(json_t *const *runs, char *const *names, size_t count,
                     const struct source_rules *rules);

#endif
