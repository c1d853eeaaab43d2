/* What became of the regions of a run, for people and in the statistics. */
#ifndef STRATA_REPORT_REGIONS_REPORT_H
#define STRATA_REPORT_REGIONS_REPORT_H

#include "machine/state/statistics.h"

struct translator_report;

/* The object `regions`; nothing where none were asked for. */
void regions_report_statistics(const struct translator_report *report, struct statistics *s);
/* To standard error. */
void regions_report_print(const struct translator_report *report);

#endif
