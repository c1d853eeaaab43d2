/* Traces: the most common path through a hot loop as one piece of code, with one entry. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_TRACE_H
#define STRATA_TRANSLATOR_FRAGMENT_TRACE_H

#include "translator/fragment/looks.h"
#include "translator/fragment/optimizer.h"
#include "translator/fragment/plan.h"
#include "translator/fragment/recipe.h"

/* The plan of a path: guards stand where the path leaves the way that the program's code lies, or could.  Says how
 * many blocks were joined.  False if its code may change. */
bool trace_plan(struct context *context, const struct path *path, struct plan *plan,
                unsigned *straightened);
enum trace_made {
    TRACE_MADE,
    TRACE_TOO_EARLY,  /* only what the recipe does not have yet could gain something */
    TRACE_IMPOSSIBLE, /* there is no room, or nothing to be gained */
    TRACE_NO_BETTER,  /* the recipe is `special`, which brings too little */
};

/* Makes a trace of the path, which begins at the head of `fragment`, and lets all that leads to the head lead there.  `looks`
 * is what was seen at the head; it matters where the recipe is `special`, and else may be NULL.
 * If it makes none, the loop goes on leading to what it led to. */
enum trace_made trace_make(struct context *context, struct fragment *fragment,
                           const struct path *path, struct recipe recipe,
                           const struct looks *looks);
/* Lets all that leads to the loop's head lead to `trace`, which may have been taken away before: then `ledger` is its own.
 * NULL: to the loop's fragment.  Threads that are in the trace that the loop led to leave it as always; its code stays until
 * all fragments go.  False if the trace is out of reach. */
bool trace_lead(struct translator *translator, struct loop *loop, struct fragment *trace,
                struct ledger *ledger);
/* The code of `fragment` may have changed: traces that have it in them go.  No other thread is in the cache. */
void trace_drop_holders(struct translator *translator, struct fragment *fragment);
/* For the kinds of counters: whoever comes to `fragment`, by whatever way, comes to `trace` from now on,
 * or to the fragment itself if that is NULL. */
void trace_attach(struct translator *translator, struct fragment *fragment, struct fragment *trace);

#endif
