/* The code of a translator's traces and of the fragments that they took the place of, with what each did. */
#ifndef STRATA_REPORT_TRACE_CODE_H
#define STRATA_REPORT_TRACE_CODE_H

#include "isa/rv64/xstrata_abi.h"
#include "machine/processor/machine.h"
#include "machine/units/cache_code.h"

struct trace_block {
    struct xstrata_block told;
    struct xstrata_fragment fragment;
    bool known; /* the fragment is that block's */
};

struct trace {
    struct xstrata_trace told;
    struct trace_block *blocks;
};

struct trace_code {
    const struct machine *machine;
    struct code_counts *counts; /* NULL: nothing was counted */
    struct trace *traces;       /* of all that are in the cache */
    size_t count;
};

/* Reads the list of struct xstrata_trace that begins at `first` in the program's memory; to be freed. */
struct trace_code *trace_code_take(const struct machine *machine, guest_addr first);
void trace_code_free(struct trace_code *code);

/* Cycles of all traces that begin at `head`, and what fragments would have taken for the same. */
struct trace_cycles {
    bool before_known, after_known;
    uint64_t before, after;
};
struct trace_cycles trace_code_cycles(const struct trace_code *code, guest_addr head);

#endif
