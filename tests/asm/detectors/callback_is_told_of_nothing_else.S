/* [H2] [H4] Callbacks are no part of a path: neither do their branches count, nor is one told while another runs. */
#include "check.h"

    .globl _start
_start:
    la t0, callback
    csrw XSTRATA_CSR_hotcall, t0
    counter tag, counted, 3
    li s0, 20
loop:
tag:
    addi s0, s0, -1
    bnez s0, loop
    check 1, s2, 1
    check 2, s3, 1
    check_address 3, s4, loop
    check 4, s5, 7                      /* the find was made in the turn before, while nobody was called */
    pass

    /* A counter's callback, in which the same loop is executed, as often as would be enough to find it. */
counted:
    addi s3, s3, 1
    li s1, 50
1:  addi s1, s1, -1
    bnez s1, 1b
    ctr_ret
callback:
    addi s2, s2, 1
    csrr s4, XSTRATA_CSR_ctrarg
    li t0, 20
    sub s5, t0, s0
    ctr_ret
