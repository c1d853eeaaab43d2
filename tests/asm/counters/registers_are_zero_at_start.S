/* [S1] [S4] The extension's registers are zero when a program starts, but for the two read-only ones. */
#include "check.h"

    .globl _start
_start:
    csrr t0, XSTRATA_CSR_ctrthresh
    check 1, t0, 0
    csrr t0, XSTRATA_CSR_ctrepc
    check 2, t0, 0
    csrr t0, XSTRATA_CSR_ctrarg
    check 3, t0, 0
    csrr t0, XSTRATA_CSR_ctrscratch
    check 4, t0, 0
    csrr t0, XSTRATA_CSR_ctrmode
    check 5, t0, 0
    csrr t0, XSTRATA_CSR_ctrentries
    check 6, t0, 64
    csrr t0, XSTRATA_CSR_strfeat
    andi t0, t0, ~16        /* which is that of processors with cycles */
    check 7, t0, 73
    csrr t0, XSTRATA_CSR_ctrevict
    check 12, t0, 0
    csrr t0, XSTRATA_CSR_ctrgone
    check 13, t0, 0
    /* 64 bits wide. */
    li s0, 0xfedcba9876543210
    csrw XSTRATA_CSR_ctrthresh, s0
    csrr t0, XSTRATA_CSR_ctrthresh
    check_same 8, t0, s0
    csrw XSTRATA_CSR_ctrarg, s0
    csrr t0, XSTRATA_CSR_ctrarg
    check_same 9, t0, s0
    csrw XSTRATA_CSR_ctrepc, s0
    csrr t0, XSTRATA_CSR_ctrepc
    check_same 10, t0, s0
    pass
