/* [B6] [B7] A threshold that is reached during a callback waits until ctr.ret, and its callback is taken then. */
#include "check.h"

    .globl _start
_start:
    counter outer, callback_outer, 1
    counter inner, callback_inner, 2
outer:
    addi s0, s0, 1
    check 1, s0, 1
    check 2, s1, 3
    check 3, s2, 1
    check_address 4, s3, inner
    check_address 5, s4, outer
    check_count 6, inner, 3
    check_count 7, outer, 1
    check 8, s5, 0
    pass

callback_outer:
inner:
    addi s1, s1, 1
    li t0, 3
    bne s1, t0, inner
    mv s5, s2               /* still 0: it has not interrupted this callback */
    ctr_ret
    fail_as 9               /* ctr.ret does not come back here */

callback_inner:
    addi s2, s2, 1
    check 10, s1, 3
    csrr s3, XSTRATA_CSR_ctrarg
    csrr s4, XSTRATA_CSR_ctrepc
    ctr_ret
