/* Traces: the most common path through a hot loop as one piece of code, with one entry. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_TRACE_H
#define STRATA_TRANSLATOR_FRAGMENT_TRACE_H

#include "translator/fragment/optimizer.h"
#include "translator/fragment/plan.h"

/* The plan of a path: guards stand where the path leaves the way that the program's code lies, or could.  Says how
 * many blocks were joined.  False if its code may change. */
bool trace_plan(struct context *context, const struct path *path, struct plan *plan,
                unsigned *straightened);
/* Makes a trace of the path, which begins at the head of `fragment`, and lets all that leads to the head lead there.
 * False if there is no room, or nothing to be gained. */
bool trace_make(struct context *context, struct fragment *fragment, const struct path *path);
/* The code of `fragment` may have changed: traces that have it in them go.  No other thread is in the cache. */
void trace_drop_holders(struct translator *translator, struct fragment *fragment);
/* The loop of `fragment` has executed its trace so often that it is known what that brings: it stays, is made once more with
 * passes over it, or is given up. */
void trace_review(struct context *context, struct fragment *fragment);
/* For the kinds of counters: whoever comes to `fragment`, by whatever way, comes to `trace` from now on,
 * or to the fragment itself if that is NULL. */
void trace_attach(struct translator *translator, struct fragment *fragment, struct fragment *trace);

#endif
