/* [B7] A waiting callback is taken even if its counter was evicted or dropped before. */
#include "check.h"

    .globl _start
_start:
    counter outer, callback, 1
    counter a, callback_pending, 1
    counter b, callback_pending, 1
outer:
    nop
    check 1, s2, 2
    check_count 2, a, ALL_ONES
    check_count 3, b, ALL_ONES
    pass

callback:
a:  nop
b:  nop
    drop b
    counter_only c
    counter_only d          /* evicts outer, then a */
    counter_only e
    check_count 4, a, ALL_ONES
    ctr_ret

callback_pending:
    csrr t0, XSTRATA_CSR_ctrarg
    addi s2, s2, 1
    li t1, 2
    beq s2, t1, 1f
    check_address 5, t0, a
    ctr_ret
1:  check_address 6, t0, b
    ctr_ret

c:  nop
d:  nop
e:  nop
