/* [C2] Counting begins with the first instruction after ctr.new, which may be the tag itself. */
#include "check.h"

    .globl _start
_start:
    la t0, tag
    ctr_new t0, x0
tag:
    ctr_read s0, t0
    check 1, s0, 1

    /* With threshold 1 its callback is taken before the next instruction. */
    li t0, 1
    csrw XSTRATA_CSR_ctrthresh, t0
    la t0, tag2
    la t1, callback
    li s1, 0
    ctr_new t0, t1
tag2:
    addi s1, s1, 1
    check 2, s2, 100
    check 3, s1, 1
    pass

callback:
    addi s2, s1, 100
    ctr_ret
