/* The walk: from a delinquent load backwards over retired instructions, keeping those that feed its address.
 *
 * One code for both who use it: the retired instruction buffer of the hardware, which walks one
 * instruction at a time over registers only, and the offline tool, which also follows values through
 * the stack. */
#ifndef STRATA_SLICE_WALK_H
#define STRATA_SLICE_WALK_H

#include "isa/rv64/insn.h"
#include "slice/slice.h"

/* One retired instruction, as a trace has it. */
struct slice_retired {
    uint64_t pc;
    uint64_t address; /* of its memory access */
    uint32_t word;    /* as in memory: 16 or 32 bits */
};

/* The registers whose values are needed, but not made by what was kept so far: in the end the live-ins. */
struct slice_walk {
    slice_registers live;
};

/* The next older instruction: true if it writes one of these registers, and is kept. */
bool slice_walk_step(struct slice_walk *walk, const struct rv64_insn *insn);
/* The load itself, or another one that is kept whatever it writes. */
void slice_walk_keep(struct slice_walk *walk, const struct rv64_insn *insn);

#define TRACE_MAX 4096
#define TRACE_NONE UINT16_MAX

/* A trace, decoded, oldest instruction first. */
struct slice_trace {
    unsigned count;
    struct rv64_insn *insns; /* as 32-bit instructions */
    uint64_t *pcs;
    uint64_t *addresses;
    /* For loads: the index of the store that left just this value on the stack, else TRACE_NONE.
     * The register that stores it is then as good as the memory. */
    uint16_t *stores;
};

/* False if memory runs out, or the trace is too long.  Without `through_stack` no load has a store. */
bool slice_trace_read(struct slice_trace *trace, const struct slice_retired *retired,
                      unsigned count, bool through_stack);
void slice_trace_free(struct slice_trace *trace);

enum slice_mark {
    MARK_NONE,
    MARK_KEPT,
    MARK_ROOT,   /* kept from the beginning: a delinquent load */
    MARK_PASSED, /* a store whose value one that is kept loads */
};

/* Whether a walk back to `from` replaces this load by what was stored. */
bool slice_trace_passes(const struct slice_trace *trace, unsigned from, unsigned load);

/* Walks from instruction `to`, exclusive, back to `from`.  `marks` has an entry for each of the trace's
 * instructions: roots are marked before, all other marks are the walk's.  `live` are registers that are
 * needed in the end.  Returns what is needed at `from`. */
slice_registers slice_trace_walk(const struct slice_trace *trace, unsigned from, unsigned to,
                                 slice_registers live, uint8_t *marks);

#endif
