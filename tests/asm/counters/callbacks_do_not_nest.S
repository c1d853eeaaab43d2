/* [B6] A callback is not interrupted by callbacks, not even by one of a counter on its own first instruction. */
#include "check.h"

    .globl _start
_start:
    counter outer, callback, 1
    counter callback, callback, 1
    counter inside, callback, 2
    li s0, 4
outer:
    addi s0, s0, -1
    bnez s0, outer
    check 1, s1, 0
    /* outer, its own first instruction at that, and `inside` at the second. */
    check 2, s2, 3
    check_count 3, callback, 3
    pass

callback:
    addi s1, s1, 1          /* depth */
    check 4, s1, 1
inside:
    addi s2, s2, 1
    addi s1, s1, -1
    ctr_ret
