/* [S2] An instruction that writes a read-only CSR is illegal; csrrs and csrrc with x0 or 0 only read. */
#include "check.h"
#include "signal.h"

    .globl _start
_start:
    install SIGILL, handler
    li t0, 64
    li s0, 5
    csrrw s0, XSTRATA_CSR_ctrentries, t0
    csrrw x0, XSTRATA_CSR_ctrentries, x0
    csrrs s0, XSTRATA_CSR_ctrentries, t0
    csrrc s0, XSTRATA_CSR_ctrentries, t0
    csrrwi s0, XSTRATA_CSR_ctrentries, 0
    csrrsi s0, XSTRATA_CSR_ctrentries, 1
    csrrci s0, XSTRATA_CSR_ctrentries, 1
    check_calls 1, illegal, 7
    csrrw s0, XSTRATA_CSR_strfeat, t0
    csrrs s0, XSTRATA_CSR_strfeat, t0
    check_calls 2, illegal, 9
    check 3, s0, 5          /* an illegal instruction writes no register */
    csrrs s0, XSTRATA_CSR_ctrentries, x0
    check 4, s0, 64
    csrrc s0, XSTRATA_CSR_strfeat, x0
    andi s0, s0, ~16        /* which is that of processors with cycles */
    check 5, s0, 73
    csrrsi s0, XSTRATA_CSR_ctrentries, 0
    check 6, s0, 64
    csrrci s0, XSTRATA_CSR_strfeat, 0
    andi s0, s0, ~16        /* which is that of processors with cycles */
    check 7, s0, 73
    csrrw s0, XSTRATA_CSR_ctrgone, t0
    check_calls 8, illegal, 10
    pass

    stepping_handler handler, illegal

    .bss
    .balign 8
illegal:
    .dword 0
