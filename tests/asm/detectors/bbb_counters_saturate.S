/* A full counter stops, and the one of taken branches with it: a branch that goes the other way from then on keeps its
 * bias, and the trace that it is on leads the old way. */
#include "check.h"

    .globl _start
_start:
    li s0, 50
loop:
    slti t0, s0, 31
    beqz t0, next                       /* taken in the first 20 turns */
    nop
next:
    addi s0, s0, -1
    bnez s0, loop
    pass
