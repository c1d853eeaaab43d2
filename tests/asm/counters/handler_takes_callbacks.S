/* [C1] [B1] Instructions of a signal handler are counted, and take callbacks, like any other. */
#include "check.h"
#include "signal.h"

    .globl _start
_start:
    install SIGUSR1, handler
    counter tag, callback, 2
    send_self SIGUSR1
    check_count 1, tag, 1
    send_self SIGUSR1
    check_count 2, tag, 2
    check_calls 3, calls, 1
    send_self SIGUSR1
    check_count 4, tag, 3
    check_calls 5, calls, 1
    pass

handler:
tag:
    nop
    ret
callback:
    increment calls
    ctr_ret

    .bss
    .balign 8
calls:
    .dword 0
