/* [N1] [S3] A counter keeps the threshold that ctrthresh had at its ctr.new. */
#include "check.h"

    .globl _start
_start:
    counter a, callback_a, 3
    counter b, callback_b, 7
    li t0, 5
    csrw XSTRATA_CSR_ctrthresh, t0
    csrr t1, XSTRATA_CSR_ctrthresh
    check 1, t1, 5
loop:
    addi s0, s0, 1
a:  nop
b:  nop
    li t0, 10
    bne s0, t0, loop
    check 2, s1, 3
    check 3, s2, 7
    pass

callback_a:
    add s1, s1, s0
    ctr_ret
callback_b:
    add s2, s2, s0
    ctr_ret
