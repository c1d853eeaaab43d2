/* Asks Strata whether it takes the options of an experiment's runs, before hours are spent on them. */
#ifndef STRATA_STUDY_PROBE_H
#define STRATA_STUDY_PROBE_H

#include "study/plan.h"

/* False with script->problem, at the line of the run. */
bool probe_options(struct script *script, const struct planned *planned, const char *strata);

/* Says of each processor once which parameters its file leaves to their defaults: what a run itself says of it is
 * not shown. */
void probe_tell_defaults(const struct plan *plan);

#endif
