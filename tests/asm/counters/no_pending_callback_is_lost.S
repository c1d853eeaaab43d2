/* [B6] [B7] A thousand thresholds that are reached in one callback are all taken, each once and in order. */
#include "check.h"

    .equ MANY, 1000

    .globl _start
_start:
    counter outer, callback, 1
    li t0, 1
    csrw XSTRATA_CSR_ctrthresh, t0
    la s0, field
    la s1, callback_pending
    li s2, MANY
1:  ctr_new s0, s1
    addi s0, s0, 2
    addi s2, s2, -1
    bnez s2, 1b
outer:
    addi s4, s4, 1
    check 1, s2, MANY
    check 2, s4, 1
    pass

callback:
    la s3, field
    jr s3
field:
    .rept MANY
    c.nop
    .endr
    ctr_ret

callback_pending:
    csrr t0, XSTRATA_CSR_ctrarg
    check_same 3, t0, s3
    addi s3, s3, 2
    addi s2, s2, 1
    ctr_ret
