/* An indirect jump is promoted by equal targets in a row, and asserts its target.
 *
 * 100 turns, of which the first 60 go one way and the last 40 another. */
#include "check.h"

    .globl _start
_start:
    la s1, first
    la s2, second
    sub s2, s2, s1
    li s0, 100
loop:
    slti t0, s0, 41
    neg t0, t0
    and t0, t0, s2
    add t0, t0, s1
    jr t0
first:
    addi s0, s0, -1
    bnez s0, loop
    pass
second:
    addi s0, s0, -1
    bnez s0, loop
    pass
