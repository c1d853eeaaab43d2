/* What fragments need of the process around them; process/ and tell/ provide it, and so does a test. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_OUTSIDE_H
#define STRATA_TRANSLATOR_FRAGMENT_OUTSIDE_H

#include "translator/fragment/context.h"

#include <stdbool.h>

/* Returns when no thread is in the cache.  True if one was: then no exit is linked now, and all lookups
 * fail. */
bool outside_bring_out(struct translator *translator);
/* Fragments will be forgotten: whoever wants to tell of them does so now. */
void outside_before_flush(struct translator *translator);
/* Does what the program's system call in its registers asks for, and leaves its result there.  Returns where
 * the program goes on: at `next`, or at the call itself if a signal comes first. */
guest_addr outside_system_call(struct context *context, guest_addr next);
/* Whether a system call that is being made now, by any thread, may write between `start` and `end`. */
bool outside_may_write(const struct translator *translator, guest_addr start, guest_addr end);
/* Code at `pc` cannot be executed: where the program goes so that it faults there, as it would alone. */
const uint8_t *outside_fault(struct context *context, guest_addr pc);

/* A thread that left the cache: what it was in may go. */
static inline void outside_leave_cache(struct context *context)
{
    __atomic_store_n(&context->inside, 0, __ATOMIC_RELEASE);
}

static inline void outside_enter_cache(struct context *context)
{
    __atomic_store_n(&context->inside, 1, __ATOMIC_RELEASE);
}

#endif
