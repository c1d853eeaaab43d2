/* [S1] ctrscratch is a word of software's: zero at first, swapped by csrrw, not touched by a callback. */
#include "check.h"

    .globl _start
_start:
    csrr t0, XSTRATA_CSR_ctrscratch
    check 1, t0, 0
    li s0, 0x123456789abcdef0
    csrrw t0, XSTRATA_CSR_ctrscratch, s0
    check 2, t0, 0
    counter tag, callback, 1
tag:
    nop
    check_same 3, s0, s1
    csrr t0, XSTRATA_CSR_ctrscratch
    check_same 4, t0, s0
    csrrs t0, XSTRATA_CSR_ctrscratch, x0
    check_same 5, t0, s0
    li t1, 0xff
    csrrs x0, XSTRATA_CSR_ctrscratch, t1
    csrrc t0, XSTRATA_CSR_ctrscratch, t1
    ori t2, s0, 0xff
    check_same 6, t0, t2
    csrr t0, XSTRATA_CSR_ctrscratch
    xori t2, t2, 0xff
    check_same 7, t0, t2
    pass

callback:
    csrr s1, XSTRATA_CSR_ctrscratch
    ctr_ret
