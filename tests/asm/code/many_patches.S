/* [I1] Tens of thousands of patches: the engine runs out of room for decoded blocks, starts again, and stays correct. */
#include "check.h"

    .equ PATCHES, 40000

    .globl _start
_start:
    la s2, patched
    li s3, 4
    li s0, PATCHES
1:  andi t1, s0, 0x7ff
    slli t0, t1, 20
    addi t0, t0, 0x513      /* li a0, s0 % 2048 */
    sw t0, 0(s2)
    ic_sync s2, s3, 0
    call function
    check_same 1, a0, t1
    addi s0, s0, -1
    bnez s0, 1b
    li t0, PATCHES
    check_same 2, s1, t0
    pass

    .section .patched, "awx"
    .option norvc
function:
    .rept 30
    nop
    .endr
patched:
    li a0, 0
    .rept 29
    nop
    .endr
    addi s1, s1, 1
    ret
