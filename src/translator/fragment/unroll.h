/* The pass `unroll`: several turns of a short loop become one path. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_UNROLL_H
#define STRATA_TRANSLATOR_FRAGMENT_UNROLL_H

#include "translator/fragment/optimizer.h"

/* Makes one path of several turns, if the path goes around and is short. */
void unroll(struct path *path);

#endif
