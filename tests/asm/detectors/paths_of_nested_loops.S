/* A path goes from one backward branch to the next: from the outer loop's head to the inner loop, round the inner loop,
 * and from there to the outer loop's end.  Ten turns of four; what begins in the last one ends nowhere. */
#include "check.h"

    .globl _start
_start:
    li s0, 10
outer:
    li s1, 4
inner:
    addi s1, s1, -1
    bnez s1, inner
after:
    addi s0, s0, -1
    bnez s0, outer
    pass
