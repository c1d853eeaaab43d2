/* A precomputation slice (p-slice): the few instructions that compute a delinquent load's address ahead of
 * the main thread, and what a machine must know to run them on another context.
 *
 * What running one means.  When the main thread reaches `trigger`, a free context gets the live-ins, with
 * the values that these registers have right after the trigger's own instruction, and runs
 *
 *     prologue, `unroll` times    the loop-carried part: what takes the live-ins to the next iteration
 *     body, once                  what computes the addresses of the delinquent loads from there, and the loads
 *
 * and then stops.  A chaining slice starts the next one between its prologue's last run and its body:
 * the next one's live-ins have the values that the registers have there, and it runs the prologue
 * once, whatever `unroll` says.  So the body of the n-th slice of a chain works for the delinquent load
 * of `unroll` + n - 1 iterations after the one that the trigger stands in.  The body may be empty, where
 * the delinquent loads are in the prologue: a list that is followed for its own sake.
 *
 * Instructions have the meaning of the program's own, but they write registers of their context only.
 * There are no stores, atomics, system instructions or jumps among them, and one branch at most, the
 * guard; slice_check says whether a slice keeps to that.  A load that would fault ends the slice.
 *
 * Addresses are those that the linker gave; who runs a program that was loaded elsewhere adds the bias to
 * trigger and pcs, also where auipc takes its pc from. */
#ifndef STRATA_SLICE_SLICE_H
#define STRATA_SLICE_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#define SLICE_INSTRUCTIONS_MAX 128
#define SLICE_UNROLL_MAX 64
#define SLICE_THROTTLE_MAX 1024

enum slice_kind {
    SLICE_BASIC,    /* started by the main thread only */
    SLICE_CHAINING, /* starts the next one itself */
};

/* The way that the guard must go for the slice to go on; the other way it ends at once, before it starts
 * another and before its body: the loop is over.  It is the only branch in the prologue, wherever it stands
 * there, and goes nowhere. */
enum slice_guard {
    SLICE_UNGUARDED,
    SLICE_GUARD_TAKEN,
    SLICE_GUARD_NOT_TAKEN,
};

struct slice_instruction {
    uint64_t pc;   /* of the program's instruction that it was made from */
    uint32_t word; /* 32 bits long, also where the program's is compressed */
    bool
        delinquent; /* a load that the slice is made for: its value is needed only if one after it reads it */
};

/* Sets of registers: bit n is xn, bit 32 + n is fn; x0 is in none. */
typedef uint64_t slice_registers;

/* How a slice was found; machines need not look at it. */
struct slice_origin {
    uint64_t misses;   /* of its delinquent loads, of the first level, in the run that found them */
    uint64_t triggers; /* executions of the trigger that were watched */
    uint64_t followed; /* triggers that a delinquent load of the slice followed */
    uint64_t alike;    /* triggers behind which the program executed the slice's instructions */
    uint64_t traced;   /* instructions from triggers to loads in these, together */
};

struct slice {
    uint64_t trigger; /* pc */
    uint8_t kind;     /* enum slice_kind */
    uint8_t guard;    /* enum slice_guard; with one, the prologue has a branch */
    uint16_t length;  /* instructions, prologue and body */
    uint16_t
        prologue; /* instructions of the prologue, from the first on; 0: none, and the kind is basic */
    uint16_t
        unroll; /* runs of the prologue, 1 or more; without one, how many iterations ahead the body
                          works for already */
    uint16_t throttle; /* slices of its chain that may be started and not yet used up by the main
                                 thread; 0: as the machine likes */
    slice_registers live_ins; /* read by prologue or body before they are written */
    struct slice_origin origin;
    struct slice_instruction instructions[SLICE_INSTRUCTIONS_MAX];
};

/* The registers that an instruction reads, and the one that it writes. */
struct slice_operands {
    slice_registers read, written;
};

struct rv64_insn;
struct slice_operands slice_operands(const struct rv64_insn *insn);

/* What `length` instructions read before they write it. */
slice_registers slice_reads(const struct slice_instruction *instructions, unsigned length);

/* Why a slice is none, in words; NULL if it can be run: it has the form described above, and its
 * live-ins are just what it reads before it writes it. */
const char *slice_check(const struct slice *slice);

#endif
