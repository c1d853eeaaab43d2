/* [B7] Waiting callbacks are taken in the order in which their thresholds were reached. */
#include "check.h"

    .globl _start
_start:
    la s1, log
    counter outer, callback, 1
    counter a, callback_pending, 3
    counter b, callback_pending, 1
    counter c, callback_pending, 2
outer:
    addi s0, s0, 1
    check 1, s0, 1
    la t0, log
    sub t1, s1, t0
    check 2, t1, 32
    ld t1, 0(t0)
    check_address 3, t1, b
    ld t1, 8(t0)
    check_address 4, t1, c
    ld t1, 16(t0)
    check_address 5, t1, a
    ld t1, 24(t0)
    check_address 6, t1, late
    pass

callback:
    li s2, 3
1:
a:  nop
b:  nop
c:  addi s2, s2, -1
    bnez s2, 1b
    ctr_ret

/* While the first of them runs, one more threshold is reached: it goes to the end. */
callback_pending:
    csrr t0, XSTRATA_CSR_ctrarg
    sd t0, 0(s1)
    addi s1, s1, 8
    csrr t0, XSTRATA_CSR_ctrepc
    check_address 7, t0, outer
    bnez s3, 1f
    li s3, 1
    counter late, callback_pending, 1
late:
    nop
1:  ctr_ret

    .bss
    .balign 8
log:
    .zero 64
