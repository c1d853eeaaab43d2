/* [I1] [I2] An instruction that straddles two pages can be patched in either half. */
#include "check.h"

    .macro try number, address, bytes
    la t0, \address
    li t1, \bytes
    ic_sync t0, t1, 1
    call function
    check \number, a0, \number
    .endm

    .globl _start
_start:
    call function
    check 100, a0, 1
    la s0, straddling
    la s1, straddling + 2
    li t0, 0x0020           /* li a0, 2: the half in the second page */
    sh t0, 0(s1)
    try 2, straddling + 2, 2
    li t0, 0x0030
    sh t0, 0(s1)
    try 3, straddling, 4
    li t0, 0x0040
    sh t0, 0(s1)
    fence.i
    call function
    check 4, a0, 4
    /* The half in the first page: li a1 instead. */
    li t0, 0x0593
    sh t0, 0(s0)
    la t0, straddling
    li t1, 2
    ic_sync t0, t1, 1
    li a0, 7
    li a1, 0
    call function
    check 5, a0, 7
    check 6, a1, 4
    pass

    .section .patched, "awx"
    .balign 4096
    .zero 4096 - 6
function:
    c.nop
    c.nop
straddling:
    .option norvc
    li a0, 1
    ret
