/* [H8] fork copies the registers, what waits and what was read last; parent and child then find apart. */
#include "check.h"
#include "process.h"

    .globl _start
_start:
    la t0, callback
    csrw XSTRATA_CSR_hotcall, t0
    li s0, 5
    call loop
    check 1, s2, 1
    fork 0
    beqz a0, child
    wait_child s1
    mv a0, s1
    bnez s1, fail           /* the number of the child's check */
    hot_read t0, x0
    check 2, t0, 1
    li s0, 5
    call other
    check 3, s2, 2
    check_address 4, s3, other
    pass

child:
    csrr t0, XSTRATA_CSR_hotcall
    check_address 10, t0, callback
    hot_read t0, x0
    check 11, t0, 1
    li t0, 1
    hot_read t0, t0
    check_address 12, t0, loop
    li s0, 5
    call other
    check 13, s2, 2
    pass

callback:
    addi s2, s2, 1
    csrr s3, XSTRATA_CSR_ctrarg
    ctr_ret

loop:
    addi s0, s0, -1
    bnez s0, loop
    ret
other:
    addi s0, s0, -1
    bnez s0, other
    ret
