/* A loop with counters on all of it: on its head, in its middle, on its branch.  With CALLBACK the one in the
 * middle, or on TAG, reaches its threshold in every iteration, with INLINE the callback's instructions stand there instead. */
#include "isa/rv64/xstrata_asm.h"
#include "loop.inc"
#ifndef TAG
#define TAG middle
#endif

    .macro body
    .rept 14
    addi t0, x0, 1
    .endr
    .endm

    .macro counter tag, threshold
    li t1, \threshold
    csrw XSTRATA_CSR_ctrthresh, t1
    la t1, \tag
    la t2, callback
    ctr_new t1, t2
    .endm

    /* The next execution reaches the threshold again. */
    .macro set_threshold
    ctr_read t3, s0
    addi t3, t3, 1
    csrw XSTRATA_CSR_ctrthresh, t3
    ctr_new s0, s1
    .endm

    program
    la s0, TAG
    la s1, callback
#ifdef INLINE
    li s1, 0 /* it only counts */
#endif
#ifdef ARMED
    counter again, 1 << 30
    counter middle, 1 << 30
    counter branch, 1 << 30
#endif
#ifdef CALLBACK
    counter TAG, 1
#endif
    loop
    body
#ifdef INLINE
    set_threshold
    csrr t3, XSTRATA_CSR_ctrthresh /* as long as ctr.ret */
#endif
middle:
    body
    addi s11, s11, -1
branch:
    bnez s11, again
    li a7, 94
    li a0, 0
    ecall

callback:
    set_threshold
    ctr_ret
