/* [C1] [B3] Tags on neighbouring instructions do not disturb each other: each is counted and calls back once. */
#include "check.h"

    .globl _start
_start:
    counter a, callback, 2
    counter b, callback, 2
    counter c, callback, 2
    counter d, callback, 3
    li s0, 4
a:  addi s1, s1, 1
b:  addi s2, s2, 1
c:  addi s0, s0, -1
d:  bnez s0, a
    check_count 1, a, 4
    check_count 2, b, 4
    check_count 3, c, 4
    check_count 4, d, 4
    check 5, s1, 4
    check 6, s2, 4
    check 7, s3, 4
    pass

callback:
    addi s3, s3, 1
    ctr_ret
