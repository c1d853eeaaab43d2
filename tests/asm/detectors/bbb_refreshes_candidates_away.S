/* What has not become a candidate by the next refresh is thrown out, so a branch that is rare never becomes one; one that
 * is executed just often enough does, and stays.
 *
 * In 16 turns two branches are executed 16 times and one 4 times: that is 36 branches, a turn of the refresh timer. */
#include "check.h"

    .globl _start
_start:
    li s0, 200
loop:
    addi s0, s0, -1
    andi t0, s0, 3
    bnez t0, next
    beqz x0, next
    nop
next:
    bnez s0, loop
    pass
