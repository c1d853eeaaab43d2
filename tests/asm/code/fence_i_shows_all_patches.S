/* [I2] fence.i makes all stores visible to fetch, wherever they went. */
#include "check.h"

    .globl _start
_start:
    call first
    call second
    check 1, a0, 1
    check 2, a1, 1
    li t0, 0x00200513       /* li a0, 2 */
    la t1, first
    sw t0, 0(t1)
    li t0, 0x00200593       /* li a1, 2 */
    la t1, second
    sw t0, 0(t1)
    fence.i
    call first
    call second
    check 3, a0, 2
    check 4, a1, 2
    /* Together with ic.sync, and over and over. */
    li s0, 500
1:  slli t0, s0, 20
    li t1, 0x593
    or t0, t0, t1           /* li a1, s0 */
    la t1, second
    sw t0, 0(t1)
    andi t2, s0, 1
    beqz t2, 2f
    li t3, 4
    ic_sync t1, t3, 0
2:  fence.i
    call second
    check_same 5, a1, s0
    addi s0, s0, -1
    bnez s0, 1b
    call first
    check 6, a0, 2
    pass

    .section .patched, "awx"
    .option norvc
first:
    li a0, 1
    ret
    .balign 4096
second:
    li a1, 1
    ret
