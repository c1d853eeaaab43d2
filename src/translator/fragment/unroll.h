/* The pass `unroll`: several turns of a short loop become one path. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_UNROLL_H
#define STRATA_TRANSLATOR_FRAGMENT_UNROLL_H

#include "translator/fragment/optimizer.h"

/* So many turns.  Passes over them cost as many times as much. */
#define UNROLL_TURNS 4

/* Whether the path goes around, is short, and is not yet of several turns. */
bool unroll_can(const struct path *path);
/* Makes one path of several turns. */
void unroll(struct path *path);

#endif
