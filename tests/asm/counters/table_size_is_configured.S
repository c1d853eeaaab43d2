/* [N6] --counter-entries sets the number of entries, which ctrentries tells. */
#include "check.h"

    .globl _start
_start:
    csrr t0, XSTRATA_CSR_ctrentries
    check 1, t0, ENTRIES
    la s0, field
    li s1, ENTRIES + 1
1:  ctr_new s0, x0
    addi s0, s0, 2
    addi s1, s1, -1
    bnez s1, 1b
    check_count 2, field, ALL_ONES
    la s0, field + 2
    ctr_read t0, s0
    check 3, t0, 0
    pass

field:
    .rept ENTRIES + 1
    c.nop
    .endr
