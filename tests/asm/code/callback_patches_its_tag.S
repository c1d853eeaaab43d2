/* [I1] [B3] A callback may patch the instruction that it stands before: the new one runs, once, and is not counted again. */
#include "check.h"

    .globl _start
_start:
    counter tag, callback, 3
    li s0, 6
1:  call tag
    addi s0, s0, -1
    bnez s0, 1b
    check 1, s1, 2          /* the old instruction, twice */
    check 2, s2, 4          /* the new one */
    check_count 3, tag, 6
    pass

callback:
    la t0, tag
    la t1, new
    lw t1, 0(t1)
    sw t1, 0(t0)
    li t1, 4
    ic_sync t0, t1, 1
    ctr_ret

    .option norvc
new:
    addi s2, s2, 1

    .section .patched, "awx"
tag:
    addi s1, s1, 1
    ret
