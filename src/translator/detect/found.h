/* Paths that hardware has found: made traces of, at once or when the optimizer may spend that much. */
#ifndef STRATA_TRANSLATOR_DETECT_FOUND_H
#define STRATA_TRANSLATOR_DETECT_FOUND_H

#include "translator/fragment/optimizer.h"

/* For struct detector: nothing that has been found of the loop waits to become a trace, or is known where none is made. */
bool found_wants(const struct translator *translator, const struct fragment *fragment);
/* For struct detector: the hardware found a path; the loop had to wait, and has been executed often enough.  Where all that
 * was found is a head, or the trace of what was found did not pay, the path is recorded. */
const uint8_t *found_take(struct context *context, struct fragment *fragment,
                          const struct path *path);
const uint8_t *found_again(struct context *context, struct fragment *fragment,
                           const uint8_t *plain);

/* The path of the loop of `fragment`, which begins there, is known: it gets a trace. */
void found_make(struct context *context, struct fragment *fragment, const struct path *path);
/* Whether a path of the loop has been found that is not used yet. */
bool found_waits(const struct optimizer *optimizer, const struct loop *loop);
/* The path of the loop waits until it may be used.  If too many wait, it takes the place of one whose loop may never be
 * executed again. */
void found_keep(struct optimizer *optimizer, struct loop *loop, const struct path *path);

#endif
