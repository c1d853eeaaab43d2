/* [R1] [E3] ctr.read of a tag without a counter gives all ones, and reading changes nothing. */
#include "check.h"

    .globl _start
_start:
    check_count 1, tag, ALL_ONES
    li s0, 3
1:  addi s0, s0, -1
    bnez s0, 1b
    counter_only tag
    la s1, tag
    addi s2, s1, 4
    ctr_read s3, s2
    check 2, s3, ALL_ONES
    call tag
    ctr_read x0, s1
    ctr_read s3, s1
    ctr_read s4, s1
    check 3, s3, 1
    check 4, s4, 1
    ctr_read s1, s1
    check 5, s1, 1
    pass

tag:
    .option norvc
    nop
    ret
