/* Called by the processor and by code of counters: the hardware's callback, and the paper's fetch of a slot. */
#include "isa/rv64/xstrata_asm.h"
#include "translator/rv64/registers.h"
#include "translator/fragment/paper_slot.h"

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
    changed_registers_low sd
    sd a1, CONTEXT_X(11)(tp)
    sd a2, CONTEXT_X(12)(tp)
    changed_registers_high sd
    ld sp, CONTEXT_STACK(tp)
    mv a0, tp
    csrr a1, XSTRATA_CSR_ctrarg
    call hw_counter_callback
    changed_registers_low ld
    ld a0, CONTEXT_X(10)(tp)
    ld a1, CONTEXT_X(11)(tp)
    ld a2, CONTEXT_X(12)(tp)
    changed_registers_high ld
    ctr_ret
    .size target_callback, . - target_callback

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
