/* Shows all instructions that retire to a sampler of windows (slice/sampler.h). */
#ifndef STRATA_MACHINE_UNITS_WINDOW_SAMPLER_H
#define STRATA_MACHINE_UNITS_WINDOW_SAMPLER_H

#include "machine/state/hart.h"
#include "machine/engine/unit.h"

struct sampler_plan;

/* NULL if memory runs out. */
struct unit *window_sampler_create(struct sampler_plan *plan, struct unit_host host);

#endif
