/* [V1] [V2] Evictions of the same tag, both told after another callback has ended: each with its own count. */
#include "check.h"

    .globl _start
_start:
    la t0, evicted
    csrw XSTRATA_CSR_ctrevict, t0
    counter a, callback, 3
    call a
    call a
    call a
    check 1, s1, 2
    check 2, s2, 3
    check 3, s3, 2
    pass

/* Evicts a twice, by b and by c. */
callback:
    mv s5, ra
    counter_only b
    call b
    counter_only a              /* evicts b, */
    call a                      /* which is told as well */
    call a
    counter_only c
    call c
    check 4, s1, 0
    mv ra, s5
    ctr_ret

evicted:
    csrr t0, XSTRATA_CSR_ctrarg
    la t1, a
    bne t0, t1, 1f
    csrr t0, XSTRATA_CSR_ctrgone
    mv t1, s2
    mv s2, t0
    beqz s1, 2f
    mv s3, s2                   /* the second */
    mv s2, t1
2:  addi s1, s1, 1
1:  ctr_ret

a:  ret
b:  ret
c:  ret
