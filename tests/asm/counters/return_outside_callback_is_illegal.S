/* [B5] ctr.ret outside a callback is an illegal instruction, also after a callback has ended. */
#include "check.h"
#include "signal.h"

    .globl _start
_start:
#ifndef DIES
    install SIGILL, handler
#endif
    ctr_ret
    check_calls 1, illegal, 1
    counter tag, callback, 1
tag:
    nop
    check 2, s0, 1
    check_calls 3, illegal, 1
    ctr_ret
    check_calls 4, illegal, 2
    pass

callback:
    addi s0, s0, 1
    ctr_ret

    stepping_handler handler, illegal

    .bss
    .balign 8
illegal:
    .dword 0
