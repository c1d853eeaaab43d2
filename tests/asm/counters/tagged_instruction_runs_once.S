/* [B3] After ctr.ret the tagged instruction runs once and is not counted again. */
#include "check.h"

    .globl _start
_start:
    counter tag, callback, 1
tag:
    addi s0, s0, 1
    check 1, s0, 1
    check 2, s1, 1
    check_count 3, tag, 1

    /* The same when the tag is the only instruction of its block, and in a loop. */
    counter jump, callback, 3
    li s2, 6
1:  j jump
    .balign 64
jump:
    j 2f
2:  addi s2, s2, -1
    bnez s2, 1b
    check_count 4, jump, 6
    check 5, s1, 2
    pass

callback:
    addi s1, s1, 1
    ctr_ret
