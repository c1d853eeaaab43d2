/* [B1] The callback is taken before the tagged instruction has had any effect. */
#include "check.h"

    .globl _start
_start:
    counter tag, callback, 4
    li s0, 10
tag:
    addi s1, s1, 1
    addi s0, s0, -1
    bnez s0, tag
    check 1, s2, 103
    check 2, s1, 10

    /* A store, which memory would show. */
    counter store, callback_store, 1
    la s3, word
    li s4, 77
store:
    sd s4, 0(s3)
    check 3, s5, 1000
    ld t0, 0(s3)
    check 4, t0, 77
    pass

callback:
    addi s2, s1, 100
    ctr_ret
callback_store:
    ld s5, 0(s3)
    addi s5, s5, 1000
    ctr_ret

    .data
    .balign 8
word:
    .dword 0
