/* [V1] [V3] The eviction first, then the new counter's own threshold; and what nobody hears of. */
#include "check.h"

    .globl _start
_start:
    la t0, evicted
    csrw XSTRATA_CSR_ctrevict, t0
    counter_only a
    counter tag, callback, 1    /* evicts a */
tag:
    nop
    check 1, s1, 2
    counter_only a              /* evicts tag */
    counter_only b              /* evicts a, which could not tell of tag */
    drop b                      /* which could not tell of a */
    counter_only a              /* evicts nothing: told to nobody, since there is nothing to tell */
a:  nop
    check 2, s1, 2
    csrw XSTRATA_CSR_ctrevict, x0
    counter_only b              /* evicts a */
b:  nop
    check 3, s1, 2
    csrr t0, XSTRATA_CSR_ctrgone
    check 4, t0, 0
    pass

evicted:
    csrr t0, XSTRATA_CSR_ctrarg
    check_address 5, t0, a
    check 6, s1, 0
    addi s1, s1, 1
    ctr_ret

callback:
    csrr t0, XSTRATA_CSR_ctrarg
    check_address 7, t0, tag
    check 8, s1, 1
    addi s1, s1, 1
    ctr_ret
