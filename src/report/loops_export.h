/* The loops of a run for other programs: as a table (CSV), and for KCachegrind. */
#ifndef STRATA_REPORT_LOOPS_EXPORT_H
#define STRATA_REPORT_LOOPS_EXPORT_H

#include "report/sources.h"

#include <jansson.h>
#include <stdio.h>

/* One row per loop of each of the `count` runs; with a column `run` that has the run's name if they
 * are several. */
void loops_export_csv(FILE *file, json_t *const *runs, char *const *names, size_t count);

/* The format that callgrind(1) writes and callgrind_annotate and KCachegrind read.  Its only event
 * is an execution of a loop's head.  These read the sources that it names: only those that `rules`
 * allow have their folders. */
void loops_export_callgrind(FILE *file, const json_t *run, const struct source_rules *rules,
                            const char *creator);

/* For callgrind files: a line with a name, and the one with the command that ran. */
void export_name(FILE *file, const char *key, const char *name);
void export_command(FILE *file, const json_t *run);

#endif
