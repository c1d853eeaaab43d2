/* Turns a loop of a load and a branch 40 times, each load in a line of its own, and ends with how often its callback
 * was called as its status; the callback adds up its arguments, too, and the program waits in the end for late ones. */
#include "isa/rv64/xstrata_asm.h"

    .globl _start, load, branch, callback
_start:
    li s0, 40
    lla s1, lines
loop:
load:
    ld t0, 0(s1)
    addi s1, s1, 256
    addi s0, s0, -1
branch:
    bnez s0, loop
    li t1, 3000
wait:
    addi t1, t1, -1
    bnez t1, wait
    mv a0, s10
    li a7, 93
    ecall

callback:
    addi s10, s10, 1
    csrr s11, XSTRATA_CSR_ctrarg
    ctr_ret

    .bss
    .balign 4096
lines:
    .skip 64 * 256
