/* A load of 20 cycles, what uses it, and 20 additions that do not. */
#include "loop.inc"
    program
    la t0, self
    sd t0, 0(t0)
    loop
    ld t0, 0(t0)
    add t1, t0, t0
    .rept 20
    addi t2, x0, 1
    .endr
    end_loop

    lines
