/* [B2] [B4] ctrepc can be written: control continues there, and the instruction there is counted as any other. */
#include "check.h"

    .globl _start
_start:
    counter tag, callback, 1
    counter_only other
tag:
    addi s0, s0, 1
    fail_as 1
other:
    addi s1, s1, 1
    check 2, s0, 0
    check_count 3, other, 1
    check_count 4, tag, 1

    /* The instruction that the callback stood before was never run; when it is, it is counted. */
    la ra, 1f
    j again
1:  check_count 5, again, 1
    pass

callback:
    la s2, other
    csrw XSTRATA_CSR_ctrepc, s2
    csrr s3, XSTRATA_CSR_ctrepc
    check_same 6, s2, s3
    counter_only again
    ctr_ret
again:
    addi s4, s4, 1
    ret
