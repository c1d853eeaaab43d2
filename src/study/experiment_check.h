/* Whether the lines of an experiment fit together. */
#ifndef STRATA_STUDY_EXPERIMENT_CHECK_H
#define STRATA_STUDY_EXPERIMENT_CHECK_H

#include "study/experiment.h"

/* False with script->problem if they do not. */
bool experiment_check(struct script *script, const struct experiment *experiment);

#endif
