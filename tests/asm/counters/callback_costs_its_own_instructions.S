/* [C7] [E4] A callback costs the instructions that it consists of and no other; ctr.new and ctr.ret are one each. */
#include "check.h"

    .globl _start
_start:
    li t0, THRESHOLD
    csrw XSTRATA_CSR_ctrthresh, t0
    la t0, tag
    la t1, callback
    ctr_new t0, t1
    li s0, 1000
tag:
    addi s0, s0, -1
    bnez s0, tag
    pass

callback:
    nop
    nop
    ctr_ret
