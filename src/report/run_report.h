/* What is told of a program's run: the statistics file, the loop profile and the summary. */
#ifndef STRATA_REPORT_RUN_REPORT_H
#define STRATA_REPORT_RUN_REPORT_H

#include "machine/linux/process.h"

struct translator_report;
struct profile_report;

struct run_description {
    const char *path; /* of the program, as given */
    char **arguments;
    /* If a translator runs it: */
    const char *file;          /* the program, whatever the working folder is then; else NULL */
    char **translator_options; /* NULL-terminated */
    const struct translator_report *translator; /* else NULL */
    const struct profile_report *profile;       /* NULL: it was not asked for */
};

/* Each prints its own message and returns false if the file cannot be written. */
bool run_report_statistics(struct process *process, const struct run_description *run,
                           const char *path);
bool run_report_profile(struct process *process, const char *path);
/* If a fault killed the program, one line that says which and where. */
void run_report_death(struct process *process, const struct run_description *run);
void run_report_summary(struct process *process, const struct run_description *run);

#endif
