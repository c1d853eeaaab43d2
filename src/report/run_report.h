/* What is told of a program's run: the statistics file, the loop profile and the summary. */
#ifndef STRATA_REPORT_RUN_REPORT_H
#define STRATA_REPORT_RUN_REPORT_H

#include "machine/linux/process.h"

struct earlier;
struct translator_report;
struct profile_report;

struct run_description {
    const char *path; /* of the program, as given */
    char **arguments;
    const struct earlier *earlier; /* programs that this one took the place of; NULL: none */
    /* If a translator runs it: */
    const char *file;          /* the program, whatever the working folder is then; else NULL */
    char **translator_options; /* NULL-terminated */
    const struct translator_report *translator; /* else NULL */
    const struct profile_report *profile;       /* NULL: it was not asked for */
};

/* Each prints its own message and returns false if the file cannot be written. */
bool run_report_statistics(struct process *process, const struct run_description *run,
                           const char *path);
bool run_report_profile(struct process *process, const struct run_description *run,
                        const char *path);
/* The program's place is about to be another's: adds what there is to tell of it, with its profile if that is
 * wanted. */
void run_report_leave(struct process *process, const struct run_description *run, bool profile,
                      struct earlier *earlier);
/* If a fault killed the program, one line that says which and where. */
void run_report_death(struct process *process, const struct run_description *run);
void run_report_summary(struct process *process, const struct run_description *run);

#endif
