/* DEPTH functions that call one another, and return. */
#include "loop.inc"
    program
    li s0, 0
    loop
    jal ra, function
    end_loop

function:
    .rept DEPTH - 1
    addi sp, sp, -16
    sd ra, 8(sp)
    jal ra, 1f
    ld ra, 8(sp)
    addi sp, sp, 16
    ret
1:
    .endr
    ret
