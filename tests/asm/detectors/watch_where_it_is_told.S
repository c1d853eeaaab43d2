/* [H5] With bit 0 of hotmode set, only what begins where hot.watch has said since is looked for. */
#include "check.h"

    .globl _start
_start:
    la t0, callback
    csrw XSTRATA_CSR_hotcall, t0
    la t0, two
    hot_watch t0                        /* too early: the bit is not set */
    li t0, 3
    csrw XSTRATA_CSR_hotmode, t0
    csrr t0, XSTRATA_CSR_hotmode
    check 1, t0, 1
    call loops
    check 2, s2, 0
    la t0, three
    hot_watch t0
    hot_watch t0
    call loops
    check 3, s2, 1
    check_address 4, s3, three
    csrwi XSTRATA_CSR_hotmode, 0
    csrwi XSTRATA_CSR_hotmode, 1        /* forgets */
    call others
    check 5, s2, 1
    csrwi XSTRATA_CSR_hotmode, 0
    call loops
    check 6, s2, 3
    pass

loops:
    li s0, 8
one:
    addi s0, s0, -1
    bnez s0, one
    li s0, 8
two:
    addi s0, s0, -1
    bnez s0, two
others:
    li s0, 8
three:
    addi s1, s1, 1
    addi s0, s0, -1
    bnez s0, three
    ret

callback:
    addi s2, s2, 1
    csrr s3, XSTRATA_CSR_ctrarg
    ctr_ret
