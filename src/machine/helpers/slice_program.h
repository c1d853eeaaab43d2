/* A precomputation slice made ready to run: what each of its instructions does, and needs of the pipeline. */
#ifndef STRATA_MACHINE_HELPERS_SLICE_PROGRAM_H
#define STRATA_MACHINE_HELPERS_SLICE_PROGRAM_H

#include "machine/exec/op.h"
#include "machine/exec/record.h"
#include "machine/pipeline/static_insn.h"
#include "slice/slice.h"

struct memory;
struct parameters;

#define SLICE_STEPS_MAX                                                                            \
    128 /* with the repetitions of the prologue: fewer than a context's stream takes */

typedef void slice_execute(struct hart *hart, const struct op *op);

struct slice_step {
    slice_execute *execute;
    struct op op;
    struct static_insn insn; /* at addresses of its own: of the slice, not of the program */
    bool delinquent;
    bool guard;
};

struct slice_program {
    struct slice slice;
    unsigned count;        /* of steps, for a slice that the main thread triggers */
    unsigned chained_from; /* the first one for a slice that another one starts */
    unsigned chains_after; /* the next slice is started when so many were dispatched; 0: never */
    struct slice_step steps[];
};

enum slice_end {
    SLICE_ENDED,
    SLICE_GUARDED, /* the loop is over */
    SLICE_FAULTED, /* a load came to where it may not read */
};

/* malloc'ed; NULL if memory runs out, or if contexts cannot run it: they have no floating-point
 * arithmetic for slices, and room for SLICE_STEPS_MAX steps.  The slice has passed slice_check.  The program stands `bias` above where it was linked. */
struct slice_program *slice_program_create(const struct slice *slice, guest_addr bias,
                                           const struct parameters *parameters);

/* Executes the slice from a step on, with and on the registers of `hart`; it only reads memory.  What it
 * executed is in `records`, `count` of them; the registers at its chain point in `chain`, if it came there. */
enum slice_end slice_program_run(const struct slice_program *program, unsigned from,
                                 struct hart *hart, const struct memory *memory,
                                 struct record *records, unsigned *count, uint64_t chain[32]);

#endif
