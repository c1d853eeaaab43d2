/* Ways home: what must be done so that each register of the program's holds what it should. */
#ifndef STRATA_TRANSLATOR_PASSES_WAYS_H
#define STRATA_TRANSLATOR_PASSES_WAYS_H

#include "translator/passes/place.h"

/* On a way out of the trace: the item's moves. */
void ways_place_out(struct place *place, struct item *item);
/* On the path, from here on. */
void ways_go_home(struct place *place);

#endif
