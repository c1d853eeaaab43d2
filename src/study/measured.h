/* The values of an experiment, computed from the statistics of its runs. */
#ifndef STRATA_STUDY_MEASURED_H
#define STRATA_STUDY_MEASURED_H

#include "study/expression.h"
#include "study/plan.h"
#include "study/store.h"

struct measured {
    const struct planned *planned;
    struct expression_value *values; /* by value, program and point: measured_value */
    json_t *loops;  /* by program, the rows of the experiment's table; NULL if it has none */
    json_t *cycles; /* by program, for each point of the axis: where the cycles went; or NULL */
    json_t *slices; /* by program, for each point of the axis: the slices of the run; or NULL */
};

/* What comes from a run that failed is unknown. */
void measured_take(struct measured *measured, struct store *store, const struct planned *planned);
void measured_free(struct measured *measured);
struct expression_value measured_value(const struct measured *measured, size_t value,
                                       size_t program, size_t point);

#endif
