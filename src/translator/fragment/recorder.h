/* The speculative profiler: finds the most common path through a loop that became hot, and removes itself.
 *
 * While the program is recorded it runs in copies of its fragments whose exits all lead to dispatch, which notes
 * in the thread's own memory where the program goes.  The copies are shared, the notes are not. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_RECORDER_H
#define STRATA_TRANSLATOR_FRAGMENT_RECORDER_H

#include "translator/fragment/effort.h"
#include "translator/fragment/optimizer.h"

/* One iteration that is being recorded by a thread. */
struct recording {
    struct path_profile *profile; /* NULL: nothing is recorded */
    struct path path;
    uint64_t bytes;              /* of the code on it, about */
    uint64_t instructions;       /* of the program's on it */
    struct effort_limits limits; /* of the path, when they were looked at last */
};

/* The counter of the head of `fragment` reached its threshold.  Returns where the program goes on, which is `plain`
 * if nothing is recorded. */
const uint8_t *recorder_begin(struct context *context, struct fragment *fragment,
                              const uint8_t *plain);
/* A fragment that records has been left to `target`, which shall be counted if the way there `counts`.  Returns where
 * the program goes on in another that records, or NULL: anywhere else. */
const uint8_t *recorder_continue(struct context *context, guest_addr target, bool counts);
/* The code at `start` may have changed. */
void recorder_drop_copy(struct translator *translator, guest_addr start);
/* The thread does something else: what it has recorded of an iteration is forgotten. */
void recorder_abandon(struct context *context);

#endif
