/* [B4] A callback that returned elsewhere leaves nothing behind: the tag's next execution is counted. */
#include "check.h"

    .globl _start
_start:
    counter tag, callback, 2
    call function
    call function
    check 1, s0, 1
    check_count 2, tag, 2
    call function
    check 3, s0, 2
    check_count 4, tag, 3
    pass

function:
tag:
    addi s0, s0, 1
done:
    ret

callback:
    la t0, done
    csrw XSTRATA_CSR_ctrepc, t0
    ctr_ret
