/* Between the translator and the code in its cache.
 *
 * The thread pointer is the context throughout.  The compiler's code keeps the
 * saved registers (s0 to s11) and never uses gp or a floating-point register, so
 * only those that a call may change are put away. */
#include "translator/context.h"

    .macro put_away_rest
    sd ra, CONTEXT_X(1)(tp)
    sd sp, CONTEXT_X(2)(tp)
    sd t0, CONTEXT_X(5)(tp)
    sd t1, CONTEXT_X(6)(tp)
    sd t2, CONTEXT_X(7)(tp)
    sd a3, CONTEXT_X(13)(tp)
    sd a4, CONTEXT_X(14)(tp)
    sd a5, CONTEXT_X(15)(tp)
    sd a6, CONTEXT_X(16)(tp)
    sd a7, CONTEXT_X(17)(tp)
    sd t3, CONTEXT_X(28)(tp)
    sd t4, CONTEXT_X(29)(tp)
    sd t5, CONTEXT_X(30)(tp)
    sd t6, CONTEXT_X(31)(tp)
    ld sp, CONTEXT_STACK(tp)
    .endm

    .text
    .globl target_leave
    .hidden target_leave
    .type target_leave, @function
/* From a trampoline: a0 is the address behind its jalr, where the exit stands
 * after one word; the program's a0 is in the context. */
target_leave:
    sd a1, CONTEXT_X(11)(tp)
    sd a2, CONTEXT_X(12)(tp)
    put_away_rest
    ld a1, 4(a0)
    j call_dispatch

/* From a lookup that failed: \target is its target; the program's a0 is in the context. */
    .macro miss name, target, kind
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
    j call_dispatch
    .endm

    miss target_miss, a1, LOOKUP_INLINE
    miss target_miss_jump, a5, LOOKUP_JUMP
    miss target_miss_moved, a5, LOOKUP_MOVED
    miss target_miss_return, ra, LOOKUP_RETURN

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
    ld ra, CONTEXT_X(1)(tp)
    ld sp, CONTEXT_X(2)(tp)
    ld t0, CONTEXT_X(5)(tp)
    ld t1, CONTEXT_X(6)(tp)
    ld t2, CONTEXT_X(7)(tp)
    ld a1, CONTEXT_X(11)(tp)
    ld a2, CONTEXT_X(12)(tp)
    ld a3, CONTEXT_X(13)(tp)
    ld a4, CONTEXT_X(14)(tp)
    ld a5, CONTEXT_X(15)(tp)
    ld a6, CONTEXT_X(16)(tp)
    ld a7, CONTEXT_X(17)(tp)
    ld t3, CONTEXT_X(28)(tp)
    ld t4, CONTEXT_X(29)(tp)
    ld t5, CONTEXT_X(30)(tp)
    ld t6, CONTEXT_X(31)(tp)
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
    ld gp, CONTEXT_X(3)(tp)
    ld s0, CONTEXT_X(8)(tp)
    ld s1, CONTEXT_X(9)(tp)
    ld s2, CONTEXT_X(18)(tp)
    ld s3, CONTEXT_X(19)(tp)
    ld s4, CONTEXT_X(20)(tp)
    ld s5, CONTEXT_X(21)(tp)
    ld s6, CONTEXT_X(22)(tp)
    ld s7, CONTEXT_X(23)(tp)
    ld s8, CONTEXT_X(24)(tp)
    ld s9, CONTEXT_X(25)(tp)
    ld s10, CONTEXT_X(26)(tp)
    ld s11, CONTEXT_X(27)(tp)
    j take_back
