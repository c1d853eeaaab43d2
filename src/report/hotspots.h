/* The loops of a run that were counted, whoever counted them, as a person reads them. */
#ifndef STRATA_REPORT_HOTSPOTS_H
#define STRATA_REPORT_HOTSPOTS_H

#include "machine/linux/process.h"
#include "machine/state/statistics.h"

struct translator_report;

struct hotspot {
    guest_addr head;
    uint64_t executions;
    bool callback_taken;
    bool evicted;
    bool complete; /* else it was executed so often or more often */
};

struct hotspots {
    uint64_t created, evicted, dropped, callbacks;
    uint64_t executions;   /* of all loops */
    size_t incomplete;     /* loops whose count is not complete */
    struct hotspot *loops; /* the most executed first, then by address; malloc'ed */
    size_t count;
};

/* What the machine's counter table saw; or, if a translator ran the program, what
 * that says of the program's own addresses.  `report` may be NULL. */
struct hotspots hotspots_take(const struct process *process,
                              const struct translator_report *report);
void hotspots_free(struct hotspots *hotspots);

void hotspots_report(const struct hotspots *hotspots, struct process *process,
                     struct statistics *statistics);
/* To standard error: how many counters there were, and what became of them. */
void hotspots_print_counters(const struct hotspots *hotspots, const struct process *process);
/* To standard error: the most executed loops. */
void hotspots_print(const struct hotspots *hotspots, struct process *process);

#endif
