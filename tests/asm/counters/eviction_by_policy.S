/* [N3] Which counter a full table gives up is the policy's: of three that counted 3, 1 and 2 times, the last of which is the
 * one that counted last. */
#include "check.h"

    .globl _start
_start:
    counter_only a
    counter_only b
    counter_only c
    li s0, 3
a:  addi s0, s0, -1
    bnez s0, a
b:  nop
    li s0, 2
c:  addi s0, s0, -1
    bnez s0, c
    counter_only d
    la t0, GONE
    ctr_read t0, t0
    check 1, t0, ALL_ONES
    counter_only e              /* d has not counted; but it was made after the others counted */
    la t0, THEN
    ctr_read t0, t0
    check 2, t0, ALL_ONES
    pass

d:  nop
e:  nop
