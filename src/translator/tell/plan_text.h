/* Plans for a person to read. */
#ifndef STRATA_TRANSLATOR_TELL_PLAN_TEXT_H
#define STRATA_TRANSLATOR_TELL_PLAN_TEXT_H

#include "translator/fragment/plan.h"
#include "translator/host/output.h"

/* One line for each step. */
void plan_text_put(struct output *output, const struct plan *plan);

#endif
