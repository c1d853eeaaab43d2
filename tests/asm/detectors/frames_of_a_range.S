/* [H4] A frame that leaves the range that is looked at is broken off, and nothing outside of it is counted. */
#include "check.h"

    .globl _start
_start:
    la t0, low
    csrw XSTRATA_CSR_hotlow, t0
    la t0, high
    csrw XSTRATA_CSR_hothigh, t0
    li s0, 100
before:
    addi s0, s0, -1
    bnez s0, before
    li s0, 100
    j within
low:
within:
    addi s0, s0, -1
    bnez s0, within
    li s0, 100
leaves:
    beqz x0, high
comes_back:
    addi s0, s0, -1
    bnez s0, leaves
    j behind
high:
    j comes_back
behind:
    pass
