/* Lines that a loop will load from are touched some turns before: which ones, and how. */
#ifndef STRATA_TRANSLATOR_PASSES_PREFETCH_H
#define STRATA_TRANSLATOR_PASSES_PREFETCH_H

#include "translator/passes/place.h"

/* A load of the program's that shall be fetched ahead. */
struct prefetch_wish {
    uint64_t pc;
    unsigned turns; /* so many turns of the trace */
};

/* Fills ops->ahead.  All loads that are not among the wishes shall be fetched so many turns ahead, if that is not 0.
 * number_run has numbered the ops. */
void prefetch_find(struct ops *ops, const struct prefetch_wish *wishes, unsigned count,
                   unsigned others);
/* Writes the items of what is touched in the place of the op that is placed now. */
void prefetch_place(struct place *place);

/* What the target says. */

/* The least constant from which on an access to memory may find the line, and that a touch can add: no more than
 * `constant`. */
int64_t target_touch_part(int64_t constant);

#endif
