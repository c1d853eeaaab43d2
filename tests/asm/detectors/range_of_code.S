/* [H4] Code outside of hotlow to hothigh is not looked at, and a path that leads there is none; with hothigh zero all
 * is. */
#include "check.h"

    .globl _start
_start:
    call all_loops
    la t0, low
    csrw XSTRATA_CSR_hotlow, t0
    la t0, high
    csrw XSTRATA_CSR_hothigh, t0
    call all_loops
    csrr t0, XSTRATA_CSR_hotlow
    check_address 1, t0, low
    csrr t0, XSTRATA_CSR_hothigh
    check_address 2, t0, high
    csrwi XSTRATA_CSR_hothigh, 0
    call all_loops
    pass

all_loops:
    li s0, 12
before:
    addi s0, s0, -1
    bnez s0, before
    li s0, 12
    j within
low:
within:
    addi s0, s0, -1
    bnez s0, within
    li s0, 12
leaves:
    beqz x0, high
comes_back:
    addi s0, s0, -1
    bnez s0, leaves
    li s0, 12
    j behind
high:
    j comes_back
behind:
    addi s0, s0, -1
    bnez s0, behind
    ret
