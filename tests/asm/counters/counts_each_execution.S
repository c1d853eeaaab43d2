/* [C1] [R1] A counter counts each execution of the instruction at its tag, however control came there. */
#include "check.h"

    .globl _start
_start:
    counter_only tag
    check_count 1, tag, 0
    li s0, 10
tag:
    addi s0, s0, -1
    bnez s0, tag
    check_count 2, tag, 10

    /* By a jump, by a call, by an indirect jump and from above. */
    li s0, 1
    la ra, 1f
    j tag2
1:  la s1, tag2
    jalr s1
    call tag2
    la ra, 2f
    counter_only tag2
tag2:
    addi s2, s2, 1
    ret
2:  check_count 3, tag2, 1
    call tag2
    la s1, tag2
    jalr s1
    la ra, 3f
    j tag2
3:  check_count 4, tag2, 4
    check 5, s2, 7
    pass
