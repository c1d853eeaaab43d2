/* Dynamic speculative precomputation: the hardware finds delinquent loads, makes slices for them and looks after
 * them, while the program runs. */
#ifndef STRATA_MACHINE_HELPERS_DSP_H
#define STRATA_MACHINE_HELPERS_DSP_H

#include <stdbool.h>
#include <stdint.h>

struct dsp;
struct entry;
struct helpers;
struct parameters;
struct statistics;

/* NULL if memory runs out.  The parameters are the pipeline's. */
struct dsp *dsp_create(const struct parameters *parameters, struct helpers *helpers, bool optimize);
void dsp_destroy(struct dsp *dsp);

/* An instruction of a thread on the context retired, which was issued in that cycle. */
void dsp_retired(struct dsp *dsp, unsigned context, const struct entry *entry, uint64_t issued);

void dsp_report(const struct dsp *dsp, struct statistics *statistics);

#endif
