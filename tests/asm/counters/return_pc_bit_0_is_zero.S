/* [B2] Bit 0 of ctrepc is always zero. */
#include "check.h"

    .globl _start
_start:
    li t0, -1
    csrw XSTRATA_CSR_ctrepc, t0
    csrr t1, XSTRATA_CSR_ctrepc
    check 1, t1, -2
    csrrwi x0, XSTRATA_CSR_ctrepc, 5
    csrrsi t1, XSTRATA_CSR_ctrepc, 3
    check 2, t1, 4
    csrr t1, XSTRATA_CSR_ctrepc
    check 3, t1, 6

    counter tag, callback, 1
tag:
    fail_as 4
landing:
    check 5, s0, 1
    pass

callback:
    li s0, 1
    la t0, landing
    addi t0, t0, 1
    csrw XSTRATA_CSR_ctrepc, t0
    ctr_ret
