/* [C1] [B3] A tag may be a 2-byte instruction, at an address that is no multiple of 4. */
#include "check.h"

    .globl _start
_start:
    counter tag, callback, 3
    counter tag2, callback, 4
    li s0, 5
    call loop
    check_count 1, tag, 5
    check_count 2, tag2, 5
    check 3, s1, 5
    check 4, s2, 2
    la t0, tag
    andi t0, t0, 3
    check 5, t0, 2
    pass

callback:
    addi s2, s2, 1
    ctr_ret

    .balign 4
loop:
    c.nop
tag:
    c.addi s1, 1
tag2:
    c.addi s0, -1
    c.mv a0, s0
    c.bnez a0, loop
    c.jr ra
