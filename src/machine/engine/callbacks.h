/* Callbacks: code of the program that hardware calls, one at a time on each context. */
#ifndef STRATA_MACHINE_CALLBACKS_H
#define STRATA_MACHINE_CALLBACKS_H

#include "machine/state/hart.h"

struct unit;

/* The program shall run `callback` with `argument` as soon as it can; `unit` wants it. */
void callbacks_raise(struct hart *hart, struct unit *unit, guest_addr callback, uint64_t argument);
/* One that tells of a counter that was evicted, and of what it had counted: `gone`. */
void callbacks_raise_eviction(struct hart *hart, struct unit *unit, guest_addr callback,
                              uint64_t tag, uint64_t gone);

/* Whether one waits and none runs. */
static inline bool callbacks_due(const struct hart *hart)
{
    return hart->pending_count != 0 && !hart->in_callback;
}

/* One is due and begins before the instruction at hart->pc, which a counter has counted already if `counted`. */
void callbacks_begin(struct hart *hart, bool counted);

/* ctr.ret: sets hart->pc to the return PC, or to the next callback that waits.  False outside a callback: an
 * illegal instruction. */
bool callbacks_return(struct hart *hart);

void callbacks_release(struct hart *hart);

#endif
