/* [S6] [S4] The auxiliary vector has one entry AT_STRATA, and it holds the value of strfeat. */
#include "check.h"

    .globl _start
_start:
    ld t0, 0(sp)            /* argc */
    addi t1, sp, 8
    slli t0, t0, 3
    add t1, t1, t0
    addi t1, t1, 8          /* the environment */
1:  ld t0, 0(t1)
    addi t1, t1, 8
    bnez t0, 1b
    li t2, 0x53545241
2:  ld t0, 0(t1)
    ld t3, 8(t1)
    addi t1, t1, 16
    beqz t0, 3f
    bne t0, t2, 2b
    addi s0, s0, 1
    mv s1, t3
    j 2b
3:  check 1, s0, 1
    csrr t0, XSTRATA_CSR_strfeat
    check_same 2, s1, t0
    andi s1, s1, ~16        /* which is that of processors with cycles */
    check 3, s1, 73
    pass
