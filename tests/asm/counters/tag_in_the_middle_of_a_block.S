/* [C1] [B1] A tag may be any instruction between others; its neighbours are not counted for it. */
#include "check.h"

    .globl _start
_start:
    li s0, 50
    call loop               /* decoded and linked before it is watched */
    counter middle, callback, 20
    li s0, 50
    call loop
    check_count 1, middle, 50
    check_count 2, before, ALL_ONES
    check 3, s6, 1
    check 4, s7, 20
    check 5, s8, 19
    check 6, s1, 100
    check 7, s2, 100
    check 8, s3, 100
    pass

callback:
    addi s6, s6, 1
    addi s7, s1, -50
    addi s8, s2, -50
    ctr_ret

loop:
before:
    addi s1, s1, 1
middle:
    addi s2, s2, 1
    addi s3, s3, 1
    addi s0, s0, -1
    bnez s0, loop
    ret
