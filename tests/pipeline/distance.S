/* A load of 60 cycles that waits for none, and 29 additions. */
#include "loop.inc"
    program
    loop
    ld t0, -16(sp)
    .rept 29
    addi t1, x0, 1
    .endr
    end_loop
