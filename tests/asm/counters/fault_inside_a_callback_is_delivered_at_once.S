/* [K5] A fault of a callback's own instruction cannot wait; the handler runs inside the callback, which then goes on. */
#include "check.h"
#include "signal.h"

    .globl _start
_start:
    install SIGILL, handler
    install SIGUSR1, waits
    counter tag, callback, 1
tag:
    addi s0, s0, 1
    check 1, s0, 1
    check 2, s1, 2
    check_calls 3, calls, 1
    check_count 4, tag, 1
    nop
    check_calls 5, waited, 1
    pass

callback:
    send_self SIGUSR1
    addi s1, s1, 1
    .word 0xffffffff
    check_calls 6, calls, 1
    check_calls 7, waited, 0
    addi s1, s1, 1
    ctr_ret

    stepping_handler handler, calls
waits:
    increment waited
    ret

    .bss
    .balign 8
calls:
    .dword 0
waited:
    .dword 0
