/* [N6] An unlimited table evicts nothing; ctrentries reads 0. */
#include "check.h"

    .equ MANY, 3000

    .globl _start
_start:
    csrr t0, XSTRATA_CSR_ctrentries
    check 1, t0, 0
    la s0, field
    li s1, MANY
1:  ctr_new s0, x0
    addi s0, s0, 2
    addi s1, s1, -1
    bnez s1, 1b
    call field
    drop field
    la s0, field
    li s1, MANY - 1
1:  addi s0, s0, 2
    ctr_read t0, s0
    check 2, t0, 1
    addi s1, s1, -1
    bnez s1, 1b
    check_count 3, field, ALL_ONES
    pass

field:
    .rept MANY
    c.nop
    .endr
    ret
