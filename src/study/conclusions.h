/* Whether what was concluded holds for what was measured. */
#ifndef STRATA_STUDY_CONCLUSIONS_H
#define STRATA_STUDY_CONCLUSIONS_H

#include "study/measured.h"

/* The array `checks` of an experiment's results. */
json_t *conclusions_draw(struct pool *pool, const struct measured *measured);
/* The array `published`: what was measured beside each published figure. */
json_t *conclusions_compare(struct pool *pool, const struct measured *measured);
/* The sentence that the experiment has for what its checks came to; NULL if it has none, or if the
 * check that decides was not measured. */
const char *conclusions_learn(struct pool *pool, const struct measured *measured,
                              const json_t *checks);

#endif
