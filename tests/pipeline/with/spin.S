/* Repeats 30 times OP, ITERATIONS times, and ends with STATUS: no system call but the last. */
#include "loop.inc"
#ifndef STATUS
#define STATUS 0
#endif
    program
    li s11, ITERATIONS
    .balign 64
again:
    .rept 30
    OP
    .endr
    addi s11, s11, -1
    bnez s11, again
    li a7, 94
    li a0, STATUS
    ecall
