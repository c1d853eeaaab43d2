/* Builds fragments: from the program's code to a plan, from a plan to code in the cache. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_BUILD_H
#define STRATA_TRANSLATOR_FRAGMENT_BUILD_H

#include "translator/fragment/fragment.h"
#include "translator/fragment/plan.h"

/* What the program does from `start` on; false if it cannot execute anything there. */
bool build_plan(struct context *context, guest_addr start, struct plan *plan);

/* The fragment for `start`, linked; NULL if the program cannot execute anything there.  There is none yet.
 * `lookup` is the kind of the lookup that failed to find it, LOOKUP_INLINE if none did.  May empty the
 * cache. */
struct fragment *build_fragment(struct context *context, guest_addr start, unsigned lookup);

/* Writes one instruction of the program, the one at `pc`, and an exit behind it that is never linked.  No other
 * code leads to it, and the page of `pc` need not be watched.  Returns where to enter it. */
const uint8_t *build_alone(struct context *context, guest_addr pc);

#endif
