/* [C2] [D1] Counters that come and go while a loop runs are exact from the very next instruction. */
#include "check.h"

    .globl _start
_start:
    li s0, 0
    la s1, tag
loop:
    addi s0, s0, 1
    li t0, 1000
    beq s0, t0, make
    li t0, 2000
    beq s0, t0, remove
    li t0, 3000
    beq s0, t0, make
back:
tag:
    nop
    li t0, 4500
    bne s0, t0, loop
    ctr_read t0, s1
    check 1, t0, 1501
    check 2, s2, 1000
    pass

make:
    ctr_new s1, x0
    j back
remove:
    ctr_read s2, s1
    ctr_drop s1
    j back
