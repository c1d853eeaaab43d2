/* Ten times: a number in memory grows by one. */
#include "loop.inc"
    program
    loop
    .rept 10
    ld t0, -16(sp)
    addi t0, t0, 1
    sd t0, -16(sp)
    .endr
    end_loop
