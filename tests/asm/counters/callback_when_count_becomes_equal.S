/* [C3] The callback is taken exactly when the count becomes equal to the threshold, and only once. */
#include "check.h"

    .globl _start
_start:
    counter tag, callback, 5
loop:
    addi s0, s0, 1
tag:
    nop
    li t0, 1000
    bne s0, t0, loop
    check 1, s1, 1
    check 2, s2, 5
    check 3, s3, 5
    check_count 4, tag, 1000
    pass

callback:
    addi s1, s1, 1
    mv s2, s0
    csrr s3, XSTRATA_CSR_ctrarg
    ctr_read s3, s3
    ctr_ret
