/* [H9] A program that names the head of what it was told of is told again: whenever the count of its executions is a power
 * of two.  The callback has no time for the first DECLINED calls. */
#include "check.h"

    .globl _start
_start:
    la t0, callback
    csrw XSTRATA_CSR_hotcall, t0
    li s0, 100
loop:
    addi s0, s0, -1
    bnez s0, loop
    check 1, s2, CALLS
    pass

callback:
    addi s2, s2, 1
    li s3, DECLINED
    bgtu s2, s3, 1f
    csrr s4, XSTRATA_CSR_ctrarg
    hot_watch s4
1:  ctr_ret
