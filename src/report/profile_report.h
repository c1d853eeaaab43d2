/* What a profile says of a run: functions, loops, lines and calls, with the instructions and cycles of each. */
#ifndef STRATA_REPORT_PROFILE_REPORT_H
#define STRATA_REPORT_PROFILE_REPORT_H

#include "machine/linux/process.h"
#include "machine/state/statistics.h"
#include "report/function_table.h"

struct profile_report;

/* Takes what was counted; NULL if nothing was asked for. */
struct profile_report *profile_report_take(struct process *process,
                                           const struct function_table *functions);
void profile_report_free(struct profile_report *report);

/* The key `profile` of the statistics. */
void profile_report_statistics(const struct profile_report *report, struct process *process,
                               struct statistics *statistics);
/* Functions with most instructions, and loops if they are asked for, to standard error; `translated`: the machine
 * executed more than the program's instructions. */
void profile_report_print(const struct profile_report *report, struct process *process,
                          bool translated, bool loops);

/* The share of the program's instructions, or cycles if it has these, that are in the loop at `head`; less than 0
 * if there is no such loop. */
double profile_report_share(const struct profile_report *report, guest_addr head);
/* What is known of the head of a loop, whose file may be mapped no longer, and its function's name for a person; the
 * report may be NULL.  False if nothing is. */
bool profile_report_place(const struct profile_report *report, struct places *places,
                          guest_addr head, struct place *place);
void profile_report_name(const struct profile_report *report, guest_addr head,
                         const struct place *place, char *name, size_t columns);

#endif
