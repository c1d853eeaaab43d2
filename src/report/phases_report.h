/* What is told of a run that was not simulated in the same way from its beginning to its end. */
#ifndef STRATA_REPORT_PHASES_REPORT_H
#define STRATA_REPORT_PHASES_REPORT_H

#include "machine/processor/machine.h"
#include "machine/state/statistics.h"

/* Into config, machine and pipeline, which the caller has begun. */
void phases_report_config(struct statistics *statistics, const struct machine *machine);
void phases_report_cycles(struct statistics *statistics, const struct machine *machine);
void phases_report_machine(struct statistics *statistics, const struct machine *machine);
void phases_report_sampling(struct statistics *statistics, const struct machine *machine);
/* To standard error: how many cycles the run took, if there is a pipeline; `several`: of several programs. */
void phases_report_print(const struct machine *machine, bool several);
/* How many cycles of the whole run stand for one that was measured, of a run that was sampled; else 1. */
double phases_report_scale(const struct machine *machine);
/* To standard error: one line that says why there is nothing to show, if there is nothing. */
void phases_report_nothing(const struct machine *machine);

#endif
