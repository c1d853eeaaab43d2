/* Dynamic speculative precomputation: the hardware finds delinquent loads, makes slices for them and looks after
 * them, while the program runs. */
#ifndef STRATA_MACHINE_HELPERS_DSP_H
#define STRATA_MACHINE_HELPERS_DSP_H

#include <stdbool.h>
#include <stdint.h>

struct dsp;
struct helpers;
struct parameters;
struct statistics;
struct unit;

/* NULL if memory runs out.  The parameters are the pipeline's. */
struct dsp *dsp_create(const struct parameters *parameters, struct helpers *helpers, bool optimize);
/* It goes with the other units. */
struct unit *dsp_unit(struct dsp *dsp);

void dsp_report(const struct dsp *dsp, struct statistics *statistics);

#endif
