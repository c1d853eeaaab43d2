/* [I1] The patched instruction may stand right behind ic.sync or fence.i, in the same run of instructions. */
#include "check.h"

    .globl _start
_start:
    li s3, 3
    la s0, next
    la s1, after
    li s2, 4
    j again

    .section .patched, "awx"
    .option norvc
again:
    slli t0, s3, 20
    addi t0, t0, 0x513      /* li a0, s3 */
    sw t0, 0(s0)
    ic_sync s0, s2, 3
next:
    li a0, 100
    check_same 1, a0, s3
    slli t0, s3, 20
    addi t0, t0, 0x593      /* li a1, s3 */
    sw t0, 0(s1)
    fence.i
after:
    li a1, 100
    check_same 2, a1, s3
    addi s3, s3, -1
    bnez s3, again
    pass
