/* A jump through a register: to the same place, or to two in turn. */
#include "loop.inc"
    program
    la s0, one
    la s1, two
    xor s1, s1, s0
    loop
    jr s0
    .balign 16
one:
    j after
    .balign 16
two:
    j after
    nop
after:
#ifdef ALTERNATE
    xor s0, s0, s1
#endif
    end_loop
