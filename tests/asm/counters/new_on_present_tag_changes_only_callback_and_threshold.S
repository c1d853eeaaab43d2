/* [N4] ctr.new of a present tag changes its callback and threshold; count, entry and index stay. */
#include "check.h"

    .globl _start
_start:
    counter a, wrong, 5
    counter b, wrong, 1000
    li s0, 3
    call loop
    counter a, right, 6
    check_count 1, a, 3
    li s0, 2
    call loop
    check 2, s2, 0
    li s0, 1
    call loop
    check 3, s2, 1
    check_count 4, a, 6

    /* The index has not moved: the next counter evicts a, not b. */
    counter_only c
    check_count 5, a, ALL_ONES
    check_count 6, b, 6
    check_count 7, c, 0
    pass

wrong:
    fail_as 100
right:
    addi s2, s2, 1
    ctr_ret

loop:
a:  addi s1, s1, 1
b:  addi s0, s0, -1
c:  bnez s0, loop
    ret
