/* [H5] Behind an address that hot.watch has named, frames begin for as many branches as the unit is told: here the first
 * branch of the loop goes either way by turns, so that no frame can begin with it.
 *
 * 40 turns; where the first branch leads, one way or the other, all further branches go the same way. */
#include "check.h"

    .globl _start
_start:
    la t0, callback
    csrw XSTRATA_CSR_hotcall, t0
    csrwi XSTRATA_CSR_hotmode, 1
    la t0, named
    hot_watch t0
    li s0, 40
named:
    andi t1, s0, 1
    beqz t1, even
odd:
    nop
even:
    beqz x0, last
    nop
last:
    addi s0, s0, -1
    bnez s0, named
    pass

callback:
    ctr_ret
