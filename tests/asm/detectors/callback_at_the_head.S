/* [H1] [H2] [H3] A find's callback is taken before the head's instruction, and reads its blocks and where it leads. */
#include "check.h"

    .globl _start
_start:
    csrr t0, XSTRATA_CSR_strfeat
    andi t0, t0, 32
    check 1, t0, 32
    hot_read t0, x0
    check 2, t0, ALL_ONES
    la t0, callback
    addi t0, t0, 1                      /* bit 0 counts as zero */
    csrw XSTRATA_CSR_hotcall, t0
    csrr t0, XSTRATA_CSR_hotcall
    check_address 3, t0, callback
    li s0, 10
loop:
    addi s1, s1, 1
    beqz x0, middle
    nop
middle:
    addi s0, s0, -1
    bnez s0, loop
    check 4, s2, 1                      /* one find, one callback */
    check 5, s3, 5                      /* four turns are a path, behind the first one */
    check_address 6, s4, loop
    check_address 7, s5, loop
    check 8, s6, 2
    check_address 9, s7, loop
    check_address 10, s8, middle
    check_address 11, s9, loop
    check 12, s10, ALL_ONES
    check 13, s11, ALL_ONES
    hot_read t0, x0                     /* it stays readable behind the callback */
    check 14, t0, 2
    pass

callback:
    addi s2, s2, 1
    mv s3, s1
    csrr s4, XSTRATA_CSR_ctrarg
    csrr s5, XSTRATA_CSR_ctrepc
    hot_read s6, x0
    li t0, 1
    hot_read s7, t0
    li t0, 2
    hot_read s8, t0
    li t0, 3
    hot_read s9, t0
    li t0, 4
    hot_read s10, t0
    li t0, -1
    hot_read s11, t0
    ctr_ret
