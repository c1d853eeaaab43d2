/* [K3] A process that is forked inside a callback is inside that callback too, with what waits. */
#include "check.h"
#include "process.h"

    .globl _start
_start:
    counter tag, callback, 1
    counter inner, callback_inner, 1
tag:
    addi s0, s0, 1
    check 1, s0, 1
    check 2, s2, 1
    check_count 3, tag, 1
    beqz s3, child
    mv a0, s3
    wait_child s1
    mv a0, s1
    bnez s1, fail
child:
    pass

callback:
inner:
    nop
    fork 0
    mv s3, a0
    ctr_ret
callback_inner:
    addi s2, s2, 1
    ctr_ret
