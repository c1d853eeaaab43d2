/* What passes have left out of a trace, pass by pass, and what was added so that the rest computes the same. */
#ifndef STRATA_TRANSLATOR_PASSES_SHARES_H
#define STRATA_TRANSLATOR_PASSES_SHARES_H

#include "translator/passes/ops.h"

/* Of one execution of one block, in instructions.  What is left out is what the trace would have executed without passes;
 * that, less `left_out`, and `added`, is what it does execute. */
struct block_shares {
    _Alignas(8) int16_t left_out[PASS_COUNT]; /* so that what follows in the pool is aligned */
    int16_t added;   /* moves, constants that must be made again, alignment */
    int16_t way_out; /* added where an indirect target is another; exits know of other ways out */
};

/* Of all executions. */
struct shares {
    bool changed;  /* passes have changed a trace */
    bool put_away; /* which keeps registers of the program's elsewhere */
    int64_t left_out[PASS_COUNT];
    int64_t added;
};

#endif
