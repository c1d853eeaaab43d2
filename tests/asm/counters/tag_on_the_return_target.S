/* [B4] [C3] A counter on the address where ctr.ret continues counts and takes its own callback there. */
#include "check.h"

    .globl _start
_start:
    counter tag, callback, 1
    counter target, callback_target, 1
tag:
    fail_as 1
target:
    addi s0, s0, 1
    check 2, s0, 1
    check 3, s1, 1
    check 4, s2, 1
    check_count 5, target, 1
    check_count 6, tag, 1
    pass

callback:
    addi s1, s1, 1
    la t0, target
    csrw XSTRATA_CSR_ctrepc, t0
    ctr_ret
callback_target:
    addi s2, s2, 1
    csrr t0, XSTRATA_CSR_ctrepc
    check_address 7, t0, target
    ctr_ret
