/* Which cycles count: the statistics of the pipeline are those of its measured intervals. */
#ifndef STRATA_MACHINE_PIPELINE_MEASURE_H
#define STRATA_MACHINE_PIPELINE_MEASURE_H

#include "machine/pipeline/sampling.h"

struct pipeline;

/* What is counted from here on adds to what was counted in earlier intervals, and what happened since the
 * last one is forgotten: statistics that are in none go back to what they were.  Between two cycles.
 * Measuring begins with the pipeline itself.  Each returns what all intervals have together by then. */
struct measurement pipeline_measure_begin(struct pipeline *pipeline);
struct measurement pipeline_measure_end(struct pipeline *pipeline);
/* There are no more: the statistics are those of the intervals from now on. */
void pipeline_measure_finish(struct pipeline *pipeline);
/* What they have together now. */
struct measurement pipeline_measured(const struct pipeline *pipeline);

#endif
