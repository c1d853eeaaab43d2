/* The state of one hardware context: registers, and what the counter hardware keeps per context. */
#ifndef STRATA_MACHINE_STATE_HART_H
#define STRATA_MACHINE_STATE_HART_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Addresses of the simulated program.  The user half of Sv39. */
typedef uint64_t guest_addr;
#define GUEST_SPACE_BITS 38
#define GUEST_SPACE_BYTES (UINT64_C(1) << GUEST_SPACE_BITS)

/* x[0] is never written: instructions whose rd is x0 write here instead, so
 * that no instruction has to test for it. */
#define HART_X_SINK 32

/* No instruction has an odd address. */
#define HART_NO_ADDRESS UINT64_MAX

/* Hardware contexts of a processor, at the most. */
#define CONTEXTS_MAX 8

struct unit;

/* A callback that was raised and has not begun. */
struct pending_callback {
    uint64_t argument;
    guest_addr callback;
    uint64_t gone;     /* of one that tells of an eviction: what the counter had counted */
    struct unit *unit; /* that raised it */
};

struct hart {
    uint64_t x[33];
    uint64_t f[32];
    guest_addr pc;

    uint8_t *memory_base; /* host address of guest address 0 */

    uint32_t rounding_mode; /* frm; 5 to 7 are illegal to round with */
    uint32_t float_flags;   /* fflags; while the engine runs, more wait in the host's FPU */

    /* lr/sc: the reservation is lost at every thread switch and system call. */
    guest_addr reserved_address;
    uint64_t reserved_value;
    bool reserved;

    uint64_t instructions; /* retired by this context */
    unsigned context;      /* of the pipeline, that it runs on */

    /* The system instruction that the engine stopped at, as it was decoded:
     * memory may hold another by now. */
    uint32_t system_word;

    /* Xstrata, per context. */
    guest_addr callback_return;       /* CSR ctrepc */
    uint64_t callback_argument;       /* CSR ctrarg */
    uint64_t callback_gone;           /* CSR ctrgone */
    uint64_t callback_scratch;        /* CSR ctrscratch */
    bool in_callback;                 /* between a callback's start and ctr.ret: signals wait */
    guest_addr callback_before;       /* the counted instruction before which callbacks run */
    guest_addr skip_count_at;         /* counted before its callback: not again after ctr.ret */
    struct pending_callback *pending; /* first come, first served */
    unsigned pending_count, pending_capacity;

    /* Where a faulting memory access goes: set by whoever executes instructions. */
    sigjmp_buf *fault_exit;
    guest_addr fault_address;
};

#endif
