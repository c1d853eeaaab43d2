/* [K3] A vfork child counts in its parent's table; its own part begins with zeros. */
#include "check.h"
#include "process.h"

    .globl _start
_start:
    counter_only tag
    li t0, 0x4444
    csrw XSTRATA_CSR_ctrscratch, t0
    li s0, 5
    call loop
    fork CLONE_VFORK_FLAGS
    beqz a0, child
    wait_child s1
    mv a0, s1
    bnez s1, fail
    check_count 1, tag, 12
    check_count 2, other, 0
    csrr t0, XSTRATA_CSR_ctrscratch
    check 3, t0, 0x4444
    li s0, 1
    call loop
    check_count 4, tag, 13
    pass

child:
    csrr t0, XSTRATA_CSR_ctrscratch
    check 10, t0, 0
    check_count 11, tag, 5
    li s0, 7
    call loop
    counter_only other
    check_count 12, tag, 12
    pass

loop:
tag:
    addi s0, s0, -1
    bnez s0, loop
    ret
other:
    nop
