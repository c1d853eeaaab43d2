/* [B7] A waiting callback goes to the address that its counter had when the threshold was reached. */
#include "check.h"

    .globl _start
_start:
    counter outer, callback, 1
    counter a, old, 1
outer:
    nop
    check 1, s0, 1
    call function
    check 2, s0, 2
    pass

callback:
    mv s1, ra
    call function
    mv ra, s1
    counter a, new, 2
    ctr_ret

function:
a:  nop
    ret

old:
    check 3, s0, 0
    addi s0, s0, 1
    ctr_ret
new:
    check 4, s0, 1
    addi s0, s0, 1
    ctr_ret
