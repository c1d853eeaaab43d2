/* [V1] [V3] One eviction waits at a time, and only until its tag is dropped, or nobody is to be told any more. */
#include "check.h"

    .globl _start
_start:
    la s4, evicted
    csrw XSTRATA_CSR_ctrevict, s4
    counter_only a
    counter_only b
    call b
    counter_only c              /* evicts a */
    counter_only d              /* evicts b: of a nobody hears any more */
    call c
    check 1, s1, 0
    call d
    check 2, s1, 1
    check_address 3, s2, b
    check 4, s3, 1
    counter_only a              /* evicts c, */
    drop c                      /* whose address is something else from now on */
    call a
    check 5, s1, 1
    counter_only b              /* evicts d */
    csrw XSTRATA_CSR_ctrevict, x0
    call b
    csrw XSTRATA_CSR_ctrevict, s4
    call b
    check 6, s1, 1
    pass

evicted:
    csrr s2, XSTRATA_CSR_ctrarg
    csrr s3, XSTRATA_CSR_ctrgone
    addi s1, s1, 1
    ctr_ret

a:  ret
b:  ret
c:  ret
d:  ret
