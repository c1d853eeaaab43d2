/* [S5] ctrmode keeps bit 0, the others read as zero; without helper contexts callbacks run here all the same. */
#include "check.h"

    .globl _start
_start:
    li t0, -1
    csrw XSTRATA_CSR_ctrmode, t0
    csrr t0, XSTRATA_CSR_ctrmode
    check 1, t0, 1
    counter tag, callback, 1
tag:
    nop
    check 2, s0, 1
    csrw XSTRATA_CSR_ctrmode, x0
    csrr t0, XSTRATA_CSR_ctrmode
    check 3, t0, 0
    pass

callback:
    addi s0, s0, 1
    ctr_ret
