/* [N1] A new counter counts from its creation: what ran before is not counted. */
#include "check.h"

    .globl _start
_start:
    li s0, 5
    call loop
    counter_only tag
    check_count 1, tag, 0
    li s0, 7
    call loop
    check_count 2, tag, 7
    check 3, s1, 12
    pass

loop:
tag:
    addi s1, s1, 1
    addi s0, s0, -1
    bnez s0, loop
    ret
