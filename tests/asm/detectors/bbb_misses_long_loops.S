/* The detection counter goes up at each branch that is no candidate.  In a loop with more branches than the buffer has
 * entries for, others never become candidates, and it is not detected, however long it runs; in a larger buffer it is.
 *
 * 100 branches of two bytes each, 500 turns. */
#include "check.h"

    .globl _start
_start:
    li s0, 500
    li s1, 0
loop:
    .rept 99
    bnez s1, end
    .endr
    addi s0, s0, -1
    bnez s0, loop
end:
    pass
