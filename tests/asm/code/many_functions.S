/* [I1] [I2] So many functions that tables of decoded blocks must grow: each is decoded once, and costs what each of few does. */
#include "check.h"

    .globl _start
_start:
    la s1, functions
    li s2, 8
    li s3, 0x00008067       /* ret */
    li s0, 0
1:  andi t1, s0, 0x7ff
    slli t0, t1, 20
    addi t0, t0, 0x513      /* li a0, s0 % 2048 */
    sw t0, 0(s1)
    sw s3, 4(s1)
#ifdef EACH_IC_SYNC
    ic_sync s1, s2, 0
    jalr s1
    check_same 1, a0, t1
#endif
#ifdef EACH_FENCE_I
    fence.i
    jalr s1
    check_same 2, a0, t1
#endif
    addi s1, s1, 8
    addi s0, s0, 1
    li t2, FUNCTIONS
    bne s0, t2, 1b

    fence.i
    li s4, 2                /* rounds */
2:  la s1, functions
    li s0, 0
3:  jalr s1
    andi t1, s0, 0x7ff
    check_same 3, a0, t1
    addi s1, s1, 8
    addi s0, s0, 1
    li t2, FUNCTIONS
    bne s0, t2, 3b
    addi s4, s4, -1
    bnez s4, 2b
    pass

    .section .functions, "awx", @nobits
    .balign 4096
functions:
    .zero FUNCTIONS * 8
