/* The profile of a run for other programs: KCachegrind, callgrind_annotate, and what draws flame graphs. */
#ifndef STRATA_REPORT_PROFILE_EXPORT_H
#define STRATA_REPORT_PROFILE_EXPORT_H

#include "report/sources.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* What is wrong with the profile of `run` as far as these need it, in words for a person; NULL if nothing is. */
const char *profile_export_check(const json_t *run, bool calls);

/* Lines and calls, in the format of callgrind.  Its readers open the sources that it names: only those that `rules`
 * allow have their folders. */
void profile_export_callgrind(FILE *file, const json_t *run, const struct source_rules *rules,
                              const char *creator);
/* A line for each path of calls: the functions from the outermost on with semicolons between them, and their
 * instructions. */
void profile_export_folded(FILE *file, const json_t *run);

#endif
