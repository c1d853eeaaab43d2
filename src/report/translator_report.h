/* What a translator says of its run, and how the machine splits its instructions. */
#ifndef STRATA_REPORT_TRANSLATOR_REPORT_H
#define STRATA_REPORT_TRANSLATOR_REPORT_H

#include "machine/processor/machine.h"
#include "machine/state/statistics.h"
#include "report/hotspots.h"

struct translator_report;

/* Reads what the translator wrote to `fd`.  One that ended without its last words
 * gives a report in which nothing is known. */
struct translator_report *translator_report_read(int fd);
/* Whether the translator has said anything: it does when the program ends. */
bool translator_report_known(const struct translator_report *report);
void translator_report_free(struct translator_report *report);

/* One of the objects that the translator wrote, or NULL. */
struct json_t;
const struct json_t *translator_report_object(const struct translator_report *report,
                                              const char *name);
struct hotspots translator_report_hotspots(const struct translator_report *report);
void translator_report_statistics(const struct translator_report *report,
                                  const struct machine *machine, struct statistics *statistics);
void translator_report_print(const struct translator_report *report, const struct machine *machine);

#endif
