/* Ten times: a load, a store whose address comes from it, and a load from elsewhere that could not know. */
#include "loop.inc"
    program
    la t0, self
    sd t0, 0(t0)
    la s1, other
    loop
    .rept 10
    ld t0, 0(t0)
    mul t1, t0, x0
    add t1, t1, s1
    sd x0, 0(t1)
    .endr
    end_loop

    lines
