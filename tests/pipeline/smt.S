/* Threads that repeat the same body on as many contexts, until the first has done so ITERATIONS times; with EQUAL
 * each of them does.  With OTHER_OP the other threads have a body of their own. */
#include "loop.inc"
#ifndef OTHER_OP
#define OTHER_OP OP
#endif
    program
    la s0, stacks
    .rept THREADS - 1
    addi s0, s0, 256
    li a0, 0x50f00 /* all is shared */
    mv a1, s0
    li a7, 220
    ecall
    beqz a0, other
    .endr
    loop
    .rept 30
    OP
    .endr
#ifdef EQUAL
    .macro end_thread again
    addi s11, s11, -1
    bnez s11, \again
    li a7, 93
    li a0, 0
    ecall
    .endm

    end_thread again
other:
    li s11, ITERATIONS
    .balign 64
again_other:
    .rept 30
    OTHER_OP
    .endr
    end_thread again_other
#else
    end_loop

    .balign 64
other:
    .rept 30
    OTHER_OP
    .endr
    addi s11, s11, -1
    bnez s0, other
#endif

    .bss
    .balign 16
stacks:
    .space 256 * THREADS
