/* Builds fragments: from the program's code to a plan, from a plan to code in the cache. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_BUILD_H
#define STRATA_TRANSLATOR_FRAGMENT_BUILD_H

#include "translator/fragment/fragment.h"
#include "translator/fragment/plan.h"

/* What the program does from `start` on; false if it cannot execute anything there. */
bool build_plan(struct context *context, guest_addr start, struct plan *plan);

/* For traces, and for fragments that record. */

/* Scans from plan->pc on, up to the next transfer of control; false if nothing was added, since it cannot be read
 * or the plan is too long.  context->reading is set. */
bool build_scan(struct translator *translator, struct plan *plan);
/* Whether a fragment goes on where the direct jump or call leads. */
bool build_follows(const struct translator *translator, const struct step *step);
/* Writes a plan into the cache that is no plain fragment's; nothing leads there yet.  There is room. */
struct emission_special;
struct fragment *build_emit(struct translator *translator, const struct plan *plan,
                            const struct emission_special *special);
/* Links the ways out of a fragment, or lets them wait. */
void build_link(struct translator *translator, struct fragment *fragment);

/* The fragment for `start`, linked; NULL if the program cannot execute anything there.  There is none yet.
 * `lookup` is the kind of the lookup that failed to find it, LOOKUP_INLINE if none did.  May empty the
 * cache. */
struct fragment *build_fragment(struct context *context, guest_addr start, unsigned lookup);

/* Writes one instruction of the program, the one at `pc`, and an exit behind it that is never linked.  No other
 * code leads to it, and the page of `pc` need not be watched.  Returns where to enter it. */
const uint8_t *build_alone(struct context *context, guest_addr pc);

#endif
