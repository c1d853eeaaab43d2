/* [C1] [B1] A tag may be a branch, taken or not; the callback comes before it, and it decides afterwards. */
#include "check.h"

    .globl _start
_start:
    counter branch, callback, 6
    li s0, 6
loop:
    addi s0, s0, -1
branch:
    bnez s0, loop           /* not taken at the callback, which changes that */
    check 1, s0, 0
    check 2, s1, 1
    check_count 3, branch, 10

    counter jump, callback2, 2
    counter back, callback3, 2
    li s2, 3
1:  call function
    addi s2, s2, -1
    bnez s2, 1b
    check_count 4, jump, 3
    check_count 5, back, 3
    check 6, s3, 1
    check 7, s4, 1
    check 8, s5, 3
    pass

callback:
    check 9, s0, 0
    li s0, 4
    addi s1, s1, 1
    ctr_ret
callback2:
    addi s3, s3, 1
    ctr_ret
callback3:
    addi s4, s4, 1
    ctr_ret

function:
jump:
    j 1f
    fail_as 10
1:  addi s5, s5, 1
back:
    ret
