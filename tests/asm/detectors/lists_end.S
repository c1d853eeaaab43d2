/* Statistics list the first 1 000 of what was found, and say how many more there were: here each turn of the outer loop is
 * a hot spot again. */
#include "check.h"

    .globl _start
_start:
    li s1, 1100
again:
    li s0, 160
loop:
    addi s0, s0, -1
    bnez s0, loop
    addi s1, s1, -1
    bnez s1, again
    pass
