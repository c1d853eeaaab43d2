/* [V1] [V2] [V5] An eviction is told before the first instruction that the new counter counts, with what the old one had. */
#include "check.h"

    .globl _start
_start:
    la t0, evicted
    addi t0, t0, 1          /* bit 0 counts as zero */
    csrw XSTRATA_CSR_ctrevict, t0
    csrr t0, XSTRATA_CSR_ctrevict
    check_address 1, t0, evicted
    counter_only a
    counter_only b
    li s0, 5
a:  addi s0, s0, -1
    bnez s0, a
    li s3, 77
    counter_only c          /* evicts a, which has counted 5 */
    check 2, s1, 0          /* not yet */
c:  addi s3, s3, 1
    check 3, s1, 1
    check 4, s3, 78         /* the instruction was executed once, */
    check_count 5, c, 1     /* and counted once */
    csrr t0, XSTRATA_CSR_ctrgone
    check 6, t0, 5
    counter_only a          /* evicts b, which a would tell of, if it counted before another eviction */
    counter_only d          /* evicts c */
d:  nop
    check 7, s1, 2
    csrr t0, XSTRATA_CSR_ctrgone
    check 8, t0, 1
    pass

evicted:
    csrr t0, XSTRATA_CSR_ctrarg
    csrr t1, XSTRATA_CSR_ctrepc
    addi s1, s1, 1
    li t2, 1
    bne s1, t2, 3f
    check 9, s3, 77
    check_address 10, t0, a
    check_address 11, t1, c
    ctr_ret
3:  check_address 12, t0, c
    check_address 13, t1, d
    ctr_ret

    .balign 4
b:  nop
