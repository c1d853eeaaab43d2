/* What is done to a plan between scan and emit: plan to plan. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_PASSES_H
#define STRATA_TRANSLATOR_FRAGMENT_PASSES_H

#include "translator/fragment/plan.h"

/* Makes of a plan another one, in place, that does the same for the program. */
typedef void pass(struct plan *plan);

/* The only one yet: leaves the plan as it is. */
static inline void pass_identity(struct plan *plan)
{
    (void)plan;
}

static inline void passes_run(struct plan *plan)
{
    pass_identity(plan);
}

#endif
