/* A trace goes on along branches with a bias, is dropped when one goes against it and tried again, and ends at a branch
 * without one.  The branch of the loop is taken but in every (MASK + 1)th turn.
 *
 * Two candidates a turn from the 16th one on: detected by the first branch of the 47th turn.  The trace begins with the
 * 48th, in which the branch goes against its bias if 1007 turns are the number. */
#include "check.h"

    .globl _start
_start:
    li s0, TURNS
loop:
    andi t0, s0, MASK
    bnez t0, next
    nop
next:
    addi s0, s0, -1
    bnez s0, loop
    pass
