/* Reads ITERATIONS lines, each in a page of its own.  With OTHER a second thread, on a context of its own, then reads
 * as many from there on. */
#include "loop.inc"
#define STRIDE (4096 + 64) /* from set to set */

    .macro read first
    la t0, \first
    li t1, STRIDE
    li s11, ITERATIONS
1:
    ld t2, 0(t0)
    add t0, t0, t1
    addi s11, s11, -1
    bnez s11, 1b
    .endm

    program
    read lines
#ifdef OTHER
    li t0, 1000 /* longer than a thread is executed ahead */
1:
    addi t0, t0, -1
    bnez t0, 1b
    li a0, 0x50f00 /* all is shared */
    la a1, stack
    li a7, 220
    ecall
    bnez a0, end
    read OTHER
end:
#endif
    li a7, 93
    li a0, 0
    ecall

    .bss
    .balign 4096
lines:
    .space STRIDE * ITERATIONS
    .balign 4096
more:
    .space STRIDE * ITERATIONS
    .space 256
stack:
