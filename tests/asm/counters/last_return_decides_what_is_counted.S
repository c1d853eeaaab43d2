/* [B8] Whether the tag is counted again is decided by the last ctr.ret, when no callback waits. */
#include "check.h"

    .globl _start
_start:
    counter tag, leaves, 1
    counter inner, comes_back, 1
    counter_only elsewhere
tag:
    addi s0, s0, 1
    check 1, s0, 1
    check_count 2, tag, 1
    check_count 3, elsewhere, 0

    counter tag2, stays, 1
    counter inner2, leaves2, 1
tag2:
    addi s1, s1, 1
    fail_as 4
elsewhere:
    nop
    check 5, s1, 0
    check_count 6, elsewhere, 1
    check_count 7, tag2, 1
    pass

leaves:
    la t0, elsewhere
    csrw XSTRATA_CSR_ctrepc, t0
inner:
    nop
    ctr_ret
comes_back:
    csrr t0, XSTRATA_CSR_ctrepc
    check_address 8, t0, elsewhere
    la t0, tag
    csrw XSTRATA_CSR_ctrepc, t0
    ctr_ret

stays:
inner2:
    nop
    ctr_ret
leaves2:
    la t0, elsewhere
    csrw XSTRATA_CSR_ctrepc, t0
    ctr_ret
