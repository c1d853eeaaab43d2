/* [H6] Without feature bit 5 the registers keep what is written, hot.read writes all ones, hot.watch does nothing. */
#include "check.h"

    .globl _start
_start:
    csrr t0, XSTRATA_CSR_strfeat
    andi t0, t0, 32
    check 1, t0, 0
    la t0, callback
    csrw XSTRATA_CSR_hotcall, t0
    csrr t0, XSTRATA_CSR_hotcall
    check_address 2, t0, callback
    li s1, 0x1234
    csrw XSTRATA_CSR_hotlow, s1
    csrr t0, XSTRATA_CSR_hotlow
    check 3, t0, 0x1234
    csrw XSTRATA_CSR_hotlow, x0
    csrw XSTRATA_CSR_hothigh, s1
    csrr t0, XSTRATA_CSR_hothigh
    check 4, t0, 0x1234
    csrw XSTRATA_CSR_hothigh, x0
    csrwi XSTRATA_CSR_hotmode, 3
    csrr t0, XSTRATA_CSR_hotmode
    check 5, t0, 1
    la t0, loop
    hot_watch t0
    li s0, 10000
loop:
    addi s0, s0, -1
    bnez s0, loop
    hot_read t0, x0
    check 6, t0, ALL_ONES
    li t1, 1
    hot_read t0, t1
    check 7, t0, ALL_ONES
    pass

callback:
    fail_as 8
