/* What the translator tells of a run: statistics as JSON, and a dump of its fragments. */
#ifndef STRATA_TRANSLATOR_REPORT_H
#define STRATA_TRANSLATOR_REPORT_H

#include "translator/fragment/translator.h"

/* Opens what the options ask for; ends the process with a message if it cannot.  The program is loaded: a file that
 * waits to take its place would be left behind if that failed. */
void report_start(struct translator *translator);
/* The program ends with `status`: writes everything, once.  Returns the status to end with, STATUS_FAILED if
 * something that the user asked for could not be written. */
int report_end(struct translator *translator, int status);
/* Somebody else has ended the program, and no instruction runs any more: writes what is there, wherever the
 * threads stand.  Called by the target. */
void report_last_words(struct translator *translator);
/* Another process or program may begin; the lock is not needed. */
void report_prepare_process(struct translator *translator);
/* This is a process that was forked: it begins to count anew.  It may have the same
 * descriptors as its parent, not copies of them. */
void report_forked(struct translator *translator, bool shares_files);
/* The process is about to execute another program; it did not. */
void report_replaced(struct translator *translator);
void report_not_replaced(struct translator *translator);

/* processes.c: what processes have counted, those of which are over; not those that run yet. */
struct process_totals {
    uint64_t programs; /* that ended, or that another took the place of */
    struct statistics statistics;
};
/* Opens what they leave their numbers in, or returns -1. */
int64_t processes_open(void);
/* Adds one program's to them, or takes it back. */
void processes_add(const struct translator *translator, bool back);
struct process_totals processes_get(const struct translator *translator);

/* Something could not be written: says so, and remembers it for report_end. */
void report_failed(struct translator *translator, const char *what, const char *name);

/* dump.c: all fragments that there are now; before a flush, too. */
void dump_fragments(struct translator *translator);

#endif
