/* The code of the hottest loops in the tables of a study, for its page. */
#ifndef STRATA_STUDY_LISTINGS_H
#define STRATA_STUDY_LISTINGS_H

#include "report/sources.h"
#include "study/plan.h"
#include "study/store.h"

/* Of each program what listing_make gives, of the runs that tables of loops are of; an object without
 * members if there are no such tables. */
json_t *listings_make(struct store *store, const struct plan *plan,
                      const struct source_rules *rules);

#endif
