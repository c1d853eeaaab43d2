/* Each way through a loop is a path of its own, counted exactly; it is found when it was taken often enough, once.
 *
 * 300 turns, of which those with a number that 3 divides take a block more.  The first turn begins nothing, for nothing
 * has led backward to it, and the last one leads nowhere: of the turns 299 to 2, 99 take that block. */
#include "check.h"

    .globl _start
_start:
    li s0, 300
    li s1, 3
loop:
    remu t0, s0, s1
    bnez t0, next
divided:
    addi s2, s2, 1
next:
    addi s0, s0, -1
    bnez s0, loop
    pass
