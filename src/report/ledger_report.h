/* What traces cost and brought, loop by loop: T_old, T_new and T_opt of the paper. */
#ifndef STRATA_REPORT_LEDGER_REPORT_H
#define STRATA_REPORT_LEDGER_REPORT_H

#include "machine/state/statistics.h"
#include "report/run_report.h"

/* Nothing if the run had no optimizer. */
void ledger_report_statistics(const struct run_description *run, struct process *process,
                              struct statistics *s);
void ledger_report_print(const struct run_description *run, const struct machine *machine);

#endif
