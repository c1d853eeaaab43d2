/* Whether what the loads of a trace miss is fetched ahead: which loads miss, and whether it pays, in cycles.
 *
 * Only where the processor measures cycles (target_hw_has_times).  The loads of each trace of a loop are measured.  Once some
 * are waited for, all of the trace is, then a trace is made that fetches ahead, and measured too: the one stays that takes
 * fewer cycles for an execution.  Where the trace has early exits, it is an execution as far as it goes. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_AHEAD_H
#define STRATA_TRANSLATOR_FRAGMENT_AHEAD_H

#include "translator/fragment/trial.h"

/* Whether what loads miss is measured. */
bool ahead_measures(const struct translator *translator);
/* The loop leads to trial->runs from now on, or it does no longer. */
void ahead_begin(const struct translator *translator, struct trial *trial);
void ahead_end(struct trial *trial);
/* The counter of the loop's head goes, and another begins at 0. */
void ahead_carry(const struct translator *translator, const struct loop *loop, const uint8_t *tag);
/* Whether it may yet show that loads miss. */
bool ahead_may_help(const struct trial *trial);
/* At a look.  Whether loads miss so much that something is tried. */
bool ahead_find_misses(struct translator *translator, struct loop *loop);
/* Whether something is tried now; then, the next step of that. */
bool ahead_is_tried(const struct trial *trial);
void ahead_review(struct context *context, struct fragment *fragment);
/* For the passes over a trace of the loop: what is fetched ahead.  Whether there is no need of the trace if nothing is. */
void ahead_find(const struct translator *translator, const struct loop *loop, struct ops *ops);
bool ahead_must(const struct loop *loop);

#endif
