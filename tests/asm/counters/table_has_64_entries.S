/* [N6] [N2] A table of 64 entries, the paper's: the 65th counter evicts the first, whose tag then reads all ones. */
#include "check.h"

    .globl _start
_start:
    csrr t0, XSTRATA_CSR_ctrentries
    check 1, t0, 64
    la s0, field
    li s1, 64
1:  ctr_new s0, x0
    addi s0, s0, 2
    addi s1, s1, -1
    bnez s1, 1b
    call field
    check_count 2, field, 1
    counter_only last
    check_count 3, field, ALL_ONES
    la s0, field
    li s1, 63
1:  addi s0, s0, 2
    ctr_read t0, s0
    check 4, t0, 1
    addi s1, s1, -1
    bnez s1, 1b
    check_count 5, last, 0
    call field
    check_count 6, last, 1
    check_count 7, field, ALL_ONES
    pass

field:
    .rept 64
    c.nop
    .endr
last:
    ret
