/* The static loads of a run by their misses, as a person reads them: the delinquent ones come first. */
#ifndef STRATA_REPORT_LOADS_REPORT_H
#define STRATA_REPORT_LOADS_REPORT_H

#include "machine/linux/process.h"
#include "machine/state/statistics.h"

/* `loads` and `loads_top`; nothing if loads were not counted. */
void loads_report(struct process *process, struct statistics *statistics);
/* The loads with the most misses, to standard error. */
void loads_report_print(struct process *process);

#endif
