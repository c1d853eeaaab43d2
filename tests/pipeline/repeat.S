/* The same instruction 30 times: what its latency, its unit and the widths of the stages allow. */
#include "loop.inc"
    program
    li t0, 1
    li t1, 7
    li t2, 3
    fcvt.d.l ft0, t0
    fcvt.d.l ft1, t1
    loop
    .rept 30
    OP
    .endr
    end_loop
