/* [C5] [C3] A changed threshold is compared from the next execution on; one that is not above the count is never reached. */
#include "check.h"

    .macro run times
    li s0, \times
    call loop
    .endm

    .globl _start
_start:
    counter tag, callback, 3
    run 5
    check 1, s1, 1
    counter tag, callback, 4
    run 5
    check 2, s1, 1
    counter tag, callback, 10
    run 5
    check 3, s1, 1
    check_count 4, tag, 15
    counter tag, callback, 16
    run 1
    check 5, s1, 2
    counter tag, callback, 20
    run 10
    check 6, s1, 3
    check_count 7, tag, 26
    pass

callback:
    addi s1, s1, 1
    ctr_ret

loop:
tag:
    addi s0, s0, -1
    bnez s0, loop
    ret
