/* The slices of a run, and what became of the lines that they asked for. */
#ifndef STRATA_REPORT_SLICES_REPORT_H
#define STRATA_REPORT_SLICES_REPORT_H

#include "machine/linux/process.h"
#include "machine/statistics.h"

/* Nothing if there could be none. */
void slices_report(struct process *process, struct statistics *statistics);
void slices_report_print(struct process *process);

#endif
