/* Makes straight-line code shorter: copies and constants are folded into what uses them, what nobody needs goes. */
#ifndef STRATA_SLICE_FOLD_H
#define STRATA_SLICE_FOLD_H

#include "isa/rv64/insn.h"
#include "slice/slice.h"

struct slice_line {
    struct rv64_insn insn;
    uint64_t pc;
    bool delinquent; /* stays */
};

struct slice_code {
    unsigned count;
    struct slice_line lines[SLICE_INSTRUCTIONS_MAX];
};

/* Takes out what nobody needs, and no more. */
void slice_prune(struct slice_code *code, slice_registers needed);

/* `needed` are the registers whose values count at the end, besides the delinquent loads and
 * branches. */
void slice_fold(struct slice_code *code, slice_registers needed);

#endif
