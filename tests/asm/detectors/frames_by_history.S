/* With the ways of the branches before, a branch is several: that of an inner loop of three turns, which never goes the
 * same way 32 times in a row, is promoted in each of the three. */
#include "check.h"

    .globl _start
_start:
    li s0, 100
outer:
    li s1, 3
inner:
    addi s1, s1, -1
    bnez s1, inner
after:
    addi s0, s0, -1
    bnez s0, outer
    pass
