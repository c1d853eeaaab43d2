/* [I1] A patch takes effect inside the very loop that is running, whose blocks are linked to each other. */
#include "check.h"

    .globl _start
_start:
    la s5, patched
    li s4, 4
    li s0, 0
    j loop

    .section .patched, "awx"
    .option norvc
loop:
    addi s0, s0, 1
    beqz x0, middle
    nop
middle:
patched:
    addi s1, s1, 1          /* later s1 + 2, then s1 + 3 */
    li t0, 1000
    beq s0, t0, patch
    li t0, 2000
    beq s0, t0, patch
    li t0, 3000
    bne s0, t0, loop
    li t0, 1000 + 2000 + 3000
    check_same 1, s1, t0
    pass
patch:
    lw t0, 0(s5)
    li t1, 1 << 20
    add t0, t0, t1
    sw t0, 0(s5)
    SYNCHRONIZE
    j loop
