/* What the program's registers held where a loop's head was looked at, for those who take it for constant. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_LOOKS_H
#define STRATA_TRANSLATOR_FRAGMENT_LOOKS_H

#include "translator/fragment/context.h"
#include "translator/passes/ops.h"

struct looks {
    unsigned count;
    uint32_t same;                  /* registers that held the same each time, one bit each, */
    uint64_t values[OPS_REGISTERS]; /* and what they held first */
};

/* Looks at the registers of `context`, which came to dispatch by EXIT_HOT: all of them are in the context then. */
void looks_take(struct looks *looks, const struct context *context);
/* What is in `more` was looked at, too. */
void looks_join(struct looks *looks, const struct looks *more);

#endif
