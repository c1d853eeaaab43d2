/* [H5] With bit 0 of hotmode set, frames begin only where hot.watch has said: one that is being built ends there, too.
 * Branches are promoted all the while.
 *
 * A loop of two blocks, 12 turns at a time, of which the second block is named; and one of a single block. */
#include "check.h"

    .globl _start
_start:
    la t0, callback
    csrw XSTRATA_CSR_hotcall, t0
    csrwi XSTRATA_CSR_hotmode, 1
    call loops
    check 1, s2, 0
    la t0, named
    hot_watch t0
    call loops
    check 2, s2, 1
    check_address 3, s3, named
    csrwi XSTRATA_CSR_hotmode, 0
    call loops
    check 4, s2, 3
    pass

loops:
    li s0, 12
first:
    beqz x0, named
    nop
named:
    addi s0, s0, -1
    bnez s0, first
    li s0, 12
second:
    addi s0, s0, -1
    bnez s0, second
    ret

callback:
    addi s2, s2, 1
    csrr s3, XSTRATA_CSR_ctrarg
    ctr_ret
