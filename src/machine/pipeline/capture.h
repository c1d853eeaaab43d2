/* Registers of the main thread right after the triggers of slices: kept from when the engine executes a
 * trigger until the pipeline dispatches it. */
#ifndef STRATA_MACHINE_PIPELINE_CAPTURE_H
#define STRATA_MACHINE_PIPELINE_CAPTURE_H

#include "machine/hart.h"
#include "machine/engine/unit.h"

#include <stdint.h>

struct captures;
struct helpers;
struct record;

/* NULL if memory runs out. */
struct captures *captures_create(void);
void captures_destroy(struct captures *captures);

/* What makes the engine capture where slices start. */
struct unit *capture_unit_create(struct helpers *helpers, struct unit_host host);

/* What is captured from now on belongs to the next pipeline_give. */
void captures_follow(struct captures *captures);
/* The engine executed a trigger: for the next pipeline_give to this context. */
void captures_take(struct captures *captures, const struct hart *hart, guest_addr pc);
/* Records from `position` on are given to a context: those captured belong to them. */
void captures_given(struct captures *captures, unsigned context, uint64_t position,
                    const struct record *records, unsigned count);
/* The integer registers after a context's record, which is the latest that was asked for; NULL if they were not captured. */
const uint64_t *captures_find(struct captures *captures, unsigned context, uint64_t position);

#endif
