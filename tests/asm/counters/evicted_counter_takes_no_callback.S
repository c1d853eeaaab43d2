/* [N2] An evicted counter's tag is no longer watched: its threshold is not reached. */
#include "check.h"

    .globl _start
_start:
    counter a, callback, 3
    call a
    call a
    counter_only b
    call a
    call a
    check 1, s0, 0
    pass

callback:
    addi s0, s0, 1
    ctr_ret
a:  nop
    ret
b:  nop
