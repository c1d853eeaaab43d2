/* A branch that is not promoted ends a frame, and the next one begins where it leads; a frame completes whichever way its
 * last branch goes.
 *
 * 200 turns, of which those with an odd number go another way: that branch is never promoted, the others are. */
#include "check.h"

    .globl _start
_start:
    li s0, 200
loop:
    andi t0, s0, 1
    bnez t0, odd
even:
    addi s1, s1, 1
    beqz x0, join
    nop
odd:
    addi s2, s2, 1
join:
    addi s0, s0, -1
    bnez s0, loop
    pass
