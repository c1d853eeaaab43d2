/* [I1] Two 2-byte instructions become one of 4 bytes and back, with a counter on the address between them. */
#include "check.h"

    .globl _start
_start:
    counter_only first
    counter_only second
    call first
    la t0, first
    li t1, 0x00240413       /* addi s0, s0, 2 */
    sw t1, 0(t0)
    li t1, 4
    ic_sync t0, t1, 1
    call first
    call first
    check 1, s0, 6
    check_count 2, first, 3
    check_count 3, second, 1
    la t0, first
    li t1, 0x04050405       /* c.addi s0, 1 twice */
    sw t1, 0(t0)
    li t1, 4
    ic_sync t0, t1, 1
    call first
    check 4, s0, 8
    check_count 5, first, 4
    check_count 6, second, 2
    pass

    .section .patched, "awx"
    .balign 4
first:
    c.addi s0, 1
second:
    c.addi s0, 1
    c.jr ra
