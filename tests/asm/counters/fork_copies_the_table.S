/* [K3] fork copies the table and the thread's part; afterwards parent and child count apart. */
#include "check.h"
#include "process.h"

    .globl _start
_start:
    counter tag, callback, 8
    li t0, 0x3333
    csrw XSTRATA_CSR_ctrscratch, t0
    li s0, 5
    call loop
    fork 0
    beqz a0, child
    wait_child s1
    mv a0, s1
    bnez s1, fail           /* the number of the child's check */
    check_count 1, tag, 5
    check 2, s2, 0
    check_count 3, other, ALL_ONES
    li s0, 3
    call loop
    check 4, s2, 1
    check_count 5, tag, 8
    pass

child:
    check_count 10, tag, 5
    csrr t0, XSTRATA_CSR_ctrscratch
    check 11, t0, 0x3333
    li s0, 2
    call loop
    check 12, s2, 0
    li s0, 1
    call loop
    check 13, s2, 1
    check_count 14, tag, 8
    counter_only other
    drop tag
    pass

callback:
    addi s2, s2, 1
    ctr_ret

loop:
tag:
    addi s0, s0, -1
    bnez s0, loop
    ret
other:
    nop
