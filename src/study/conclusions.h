/* Whether what was concluded holds for what was measured. */
#ifndef STRATA_STUDY_CONCLUSIONS_H
#define STRATA_STUDY_CONCLUSIONS_H

#include "study/measured.h"

/* The array `checks` of an experiment's results. */
json_t *conclusions_draw(struct pool *pool, const struct measured *measured);

#endif
