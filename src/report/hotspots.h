/* The loops of a run that were counted, whoever counted them, as a person reads them. */
#ifndef STRATA_REPORT_HOTSPOTS_H
#define STRATA_REPORT_HOTSPOTS_H

#include "machine/linux/process.h"
#include "machine/state/statistics.h"

struct profile_report;
struct translator_report;

struct hotspot {
    guest_addr head;
    uint64_t executions;
    bool callback_taken;
    bool evicted;
    bool complete; /* else it was executed so often or more often */
    double
        share; /* of the program's cycles or instructions in the loop; less than 0 if it is not known */
};

struct hotspots {
    uint64_t created, evicted, dropped, callbacks;
    size_t incomplete;     /* loops whose count is not complete */
    struct hotspot *loops; /* the most executed first, then by address; malloc'ed */
    size_t count;
    char *detector; /* of a translator: what found hot spots, by the name of --detector; malloc'ed, or NULL */
    bool detector_counts;                 /* it has counters at heads */
    const struct profile_report *profile; /* knows the names of code that is gone; may be NULL */
};

/* What the machine's counter table saw; or, if a translator ran the program, what
 * that says of the program's own addresses.  `report` may be NULL, and so may `profile`. */
struct hotspots hotspots_take(const struct process *process, const struct translator_report *report,
                              const struct profile_report *profile);
void hotspots_free(struct hotspots *hotspots);

void hotspots_report(const struct hotspots *hotspots, struct process *process,
                     struct statistics *statistics);
/* To standard error: how many counters there were, and what became of them. */
void hotspots_print_counters(const struct hotspots *hotspots, const struct process *process);
/* To standard error: the loops with the greatest share, or those that were executed most. */
void hotspots_print(const struct hotspots *hotspots, struct process *process);

#endif
