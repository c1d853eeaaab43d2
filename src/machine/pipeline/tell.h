/* Tells units what happens in the pipeline. */
#ifndef STRATA_MACHINE_PIPELINE_TELL_H
#define STRATA_MACHINE_PIPELINE_TELL_H

#include "machine/pipeline/window.h"

/* Whether a unit wants to hear of this. */
static inline bool tell_is_wanted(const struct pipeline *pipeline,
                                  const struct static_insn *static_insn, enum watch what)
{
    return UNLIKELY((pipeline->told & what) != 0) &&
           ((pipeline->told_always & what) != 0 ||
            (static_insn->watch != NULL && (static_insn->watch->events & what) != 0));
}

/* Whether the entry is a load that did not find its line in the first level. */
static inline bool tell_has_missed(const struct entry *entry)
{
    return (entry->insn->flags & STATIC_LOAD) != 0 &&
           (entry->cause == CAUSE_l2 || entry->cause == CAUSE_l3 || entry->cause == CAUSE_memory);
}

/* Whether a unit may want to know in which cycle an instruction did what. */
static inline bool tell_needs_times(const struct pipeline *pipeline)
{
    return UNLIKELY((pipeline->told & WATCH_TIMED) != 0);
}

/* What happens to an instruction in flight, in this cycle; what else there is to say of it is in `event`. */
void tell(struct pipeline *pipeline, enum watch what, uint32_t id, struct watch_event *event);

/* The units that hear from now on what happens. */
void tell_units(struct pipeline *pipeline, struct unit_set *units);
/* Asks the units that choose what they want to hear of the instruction ; false if memory runs out. */
bool tell_ask(struct pipeline *pipeline, struct static_insn *static_insn,
              const struct watch_instruction *instruction);
void tell_destroy(struct pipeline *pipeline);

#endif
