/* [I1] After ic.sync, fetch sees the stores to its range; without it, it may see either. */
#include "check.h"

    .globl _start
_start:
    call function
    check 1, a0, 1
    la s0, patched
    li t0, 0x00200513       /* li a0, 2 */
    sw t0, 0(s0)
    li t1, 4
    ic_sync s0, t1, 0
    call function
    check 2, a0, 2
    /* Half of an instruction: the immediate's upper 2 bytes. */
    li t0, 0x0030
    sh t0, 2(s0)
    addi t0, s0, 2
    li t1, 2
    ic_sync t0, t1, 1
    call function
    check 3, a0, 3
    /* One byte, in the middle of a longer range. */
    li t0, 0x40
    sb t0, 2(s0)
    addi t0, s0, -8
    li t1, 64
    ic_sync t0, t1, 2
    call function
    check 4, a0, 4
    pass

    .section .patched, "awx"
    .option norvc
    nop
    nop
function:
    nop
patched:
    li a0, 1
    ret
