/* Follows pointers through NODES of STRIDE bytes, one after the other and again from the first. */
#include "loop.inc"
    program
    la t0, list
    loop
    .rept 4
    ld t0, 0(t0)
    .endr
    end_loop

    .data
    .balign 4096
list:
    .rept NODES - 1
    .quad . + STRIDE
    .space STRIDE - 8
    .endr
    .quad list
