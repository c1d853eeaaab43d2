/* [B1] In a callback ctrarg and ctrepc hold the tag. */
#include "check.h"

    .globl _start
_start:
    counter a, callback, 2
    counter b, callback, 3
    li s0, 4
loop:
a:  nop
b:  nop
    addi s0, s0, -1
    beqz s0, end
    li t0, 2
    beq s0, t0, after_second
    j loop
after_second:
    check_address 1, s1, a
    check_address 2, s2, a
    j loop
end:
    check_address 3, s1, b
    check_address 4, s2, b
    check 5, s3, 2
    pass

callback:
    csrr s1, XSTRATA_CSR_ctrarg
    csrr s2, XSTRATA_CSR_ctrepc
    addi s3, s3, 1
    ctr_ret
