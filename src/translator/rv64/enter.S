/* Between the translator and the code in its cache.
 *
 * The thread pointer is the context throughout.  The compiler's code keeps the
 * saved registers (s0 to s11) and never uses gp or a floating-point register, so
 * only those that a call may change are put away. */
#include "translator/rv64/registers.h"

    .macro put_away_rest
    changed_registers_low sd
    changed_registers_high sd
    ld sp, CONTEXT_STACK(tp)
    .endm

/* From a trampoline: a0 is the address behind its jalr, where the exit stands
 * after one word; the program's a0 is in the context. */
    .macro leave name, next
    .globl \name
    .hidden \name
    .type \name, @function
\name:
    sd a1, CONTEXT_X(11)(tp)
    sd a2, CONTEXT_X(12)(tp)
    put_away_rest
    ld a1, 4(a0)
    j \next
    .endm

/* From a lookup that failed: \target is its target; the program's a0 is in the context. */
    .macro miss name, target, kind, next
    .globl \name
    .hidden \name
    .type \name, @function
\name:
    sd \target, CONTEXT_TARGET(tp)
    .if \kind == LOOKUP_INLINE /* a1 and a2 are there, too */
    .else
    sd a1, CONTEXT_X(11)(tp)
    sd a2, CONTEXT_X(12)(tp)
    .endif
    .if \kind == LOOKUP_MOVED
    ld a5, CONTEXT_X(15)(tp)
    .endif
    put_away_rest
    ld a1, CONTEXT_MISSED(\kind)(tp)
    j \next
    .endm

    .text
    leave target_leave, call_dispatch
    miss target_miss, a1, LOOKUP_INLINE, call_dispatch
    miss target_miss_jump, a5, LOOKUP_JUMP, call_dispatch
    miss target_miss_moved, a5, LOOKUP_MOVED, call_dispatch
    miss target_miss_return, ra, LOOKUP_RETURN, call_dispatch

    leave target_leave_dear, spend
    miss target_miss_dear, a1, LOOKUP_INLINE, spend
    miss target_miss_jump_dear, a5, LOOKUP_JUMP, spend
    miss target_miss_moved_dear, a5, LOOKUP_MOVED, spend
    miss target_miss_return_dear, ra, LOOKUP_RETURN, spend

/* The same, with the program's a0 where it was: where the lookup had a scratch register. */
    .macro miss_as_it_was name, next
    .globl \name
    .hidden \name
    .type \name, @function
\name:
    sd a0, CONTEXT_X(10)(tp)
    j \next
    .endm

    miss_as_it_was target_miss_jump_scratch, target_miss_jump
    miss_as_it_was target_miss_moved_scratch, target_miss_moved
    miss_as_it_was target_miss_return_scratch, target_miss_return
    miss_as_it_was target_miss_jump_scratch_dear, target_miss_jump_dear
    miss_as_it_was target_miss_moved_scratch_dear, target_miss_moved_dear
    miss_as_it_was target_miss_return_scratch_dear, target_miss_return_dear

/* From a callback, with all registers the program's. */
    .globl target_hot
    .hidden target_hot
    .type target_hot, @function
target_hot:
    sd a0, CONTEXT_X(10)(tp)
    sd a1, CONTEXT_X(11)(tp)
    sd a2, CONTEXT_X(12)(tp)
    kept_registers sd /* for looks (fragment/looks.c) */
    put_away_rest
    ld a1, CONTEXT_HOT(tp)
    j call_dispatch

/* Exactly as many instructions as --builder-cost says: four, one more if the number is odd, and two in each turn,
 * of which there is at least one. */
spend:
    ld t0, CONTEXT_BUILDER_COST(tp)
    andi t1, t0, 1
    beqz t1, 1f
    nop
1:
    addi t0, t0, -5
2:
    addi t0, t0, -2
    bgtz t0, 2b

call_dispatch:
    mv a0, tp
    call dispatch
take_back:
    lw t0, CONTEXT_PENDING(tp)
/* From here on a signal does not wait for the next check: state.c finishes this
 * first.  If one waits already, no other comes. */
    .globl target_checked, target_checked_end
    .hidden target_checked, target_checked_end
target_checked:
    bnez t0, target_deliver
    changed_registers_low ld
    ld a1, CONTEXT_X(11)(tp)
    ld a2, CONTEXT_X(12)(tp)
    changed_registers_high ld
    jr a0 /* the fragment's first word takes a0 back */
target_checked_end:

    .globl target_enter
    .hidden target_enter
    .type target_enter, @function
/* target_enter(context, entry): all of the program's registers come from the
 * context, the saved ones too, this once. */
target_enter:
    mv tp, a0
    mv a0, a1
    kept_registers ld
    ld gp, CONTEXT_X(3)(tp) /* of no use to anyone if it is the translator's */
    j take_back
