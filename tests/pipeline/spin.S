/* The first thread spins until another one, on the next context, has counted ITERATIONS: far more than it executes
 * ahead of the pipeline. */
#include "loop.inc"
    program
    la s1, other
    li a0, 0x50f00 /* all is shared */
    addi a1, s1, 64
    li a7, 220
    ecall
    beqz a0, count
spin:
    lw t0, 0(s1)
    beqz t0, spin
    li a7, 94
    li a0, 0
    ecall
count:
    li s11, ITERATIONS
    .balign 64
again:
    addi s11, s11, -1
    bnez s11, again
    li t0, 1
    sw t0, 0(s1)
    j .

    lines
