/* A branch that is taken every other time. */
#include "loop.inc"
    program
    li t0, 0
    loop
    xori t0, t0, 1
    bnez t0, 1f
    nop
1:
    end_loop
