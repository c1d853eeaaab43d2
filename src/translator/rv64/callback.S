/* Called by the processor and by code of counters: the hardware's callback, and the paper's fetch of a slot. */
#include "isa/rv64/xstrata_asm.h"
#include "translator/rv64/registers.h"
#include "translator/fragment/paper_slot.h"

/* What a call may change, but t0, which has the address of the place: \op is sd or ld. */
    .macro found_registers op
    \op ra, 8(t0)
    \op sp, 16(t0)
    \op t1, 24(t0)
    \op t2, 32(t0)
    \op a0, 40(t0)
    \op a1, 48(t0)
    \op a2, 56(t0)
    \op a3, 64(t0)
    \op a4, 72(t0)
    \op a5, 80(t0)
    \op a6, 88(t0)
    \op a7, 96(t0)
    \op t3, 104(t0)
    \op t4, 112(t0)
    \op t5, 120(t0)
    \op t6, 128(t0)
    .endm

/* The program's registers are as they were behind it, a0 too, which is saved already. */
    .macro call_with_tag function
    changed_registers_low sd
    sd a1, CONTEXT_X(11)(tp)
    sd a2, CONTEXT_X(12)(tp)
    changed_registers_high sd
    ld sp, CONTEXT_STACK(tp)
    mv a0, tp
    csrr a1, XSTRATA_CSR_ctrarg
    call \function
    changed_registers_low ld
    ld a0, CONTEXT_X(10)(tp)
    ld a1, CONTEXT_X(11)(tp)
    ld a2, CONTEXT_X(12)(tp)
    changed_registers_high ld
    ctr_ret
    .endm

    .text
    .globl target_callback, target_callback_saved
    .hidden target_callback, target_callback_saved
    .type target_callback, @function
/* Taken before the first instruction of a fragment, so that the thread pointer is
 * the context and no register's place there is in use.  No signal comes until
 * the instruction behind ctr.ret.  Counters that hw_counter.c's code makes have their
 * own first instructions, and come here with a0 saved. */
target_callback:
    sd a0, CONTEXT_X(10)(tp)
target_callback_saved:
    call_with_tag hw_counter_callback
    .size target_callback, . - target_callback

    .globl target_evicted
    .hidden target_evicted
    .type target_evicted, @function
/* Taken in the same places. */
target_evicted:
    sd a0, CONTEXT_X(10)(tp)
    call_with_tag hw_counter_evicted
    .size target_evicted, . - target_evicted

    .globl target_found
    .hidden target_found
    .type target_found, @function
/* Taken before any instruction of the cache: the thread pointer is the context, and nothing else is known.  No signal
 * comes until the instruction behind ctr.ret. */
target_found:
    csrw XSTRATA_CSR_ctrscratch, t0
    ld t0, CONTEXT_ARRIVAL(tp)
    found_registers sd
    mv t1, t0
    csrr t0, XSTRATA_CSR_ctrscratch
    sd t0, 0(t1)
    ld sp, CONTEXT_STACK(tp)
    mv a0, tp
    csrr a1, XSTRATA_CSR_ctrepc
    call arrival_callback
    ld t0, CONTEXT_ARRIVAL(tp)
    found_registers ld
    ld t0, 0(t0)
    ctr_ret
    .size target_found, . - target_found

    .globl target_fetch_slot, target_fetch_slot_end
    .hidden target_fetch_slot, target_fetch_slot_end
    .type target_fetch_slot, @function
    .option push
    .option norvc
/* a2 is the head; a1 becomes its slot and a0 the head that the slot has.
 * slot_of (slot.h) is the same in C. */
target_fetch_slot:
    slli a0, a2, 64 - 1 - PAPER_SLOT_BITS
    srli a0, a0, 64 - PAPER_SLOT_BITS - PAPER_SLOT_SHIFT
    ld a1, CONTEXT_SLOTS(tp)
    add a1, a1, a0
    ld a0, PAPER_SLOT_HEAD(a1)
    jr a3
target_fetch_slot_end:
    .option pop
    .size target_fetch_slot, . - target_fetch_slot

    .section .note.GNU-stack, "", @progbits
