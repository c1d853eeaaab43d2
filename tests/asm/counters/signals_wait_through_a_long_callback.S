/* [K5] Signals wait however long a callback runs, and through its system calls; several come afterwards, each once. */
#include "check.h"
#include "signal.h"

    .globl _start
_start:
    install SIGUSR1, handler
    install SIGUSR2, handler
    counter tag, callback, 3
    li s0, 10
tag:
    addi s0, s0, -1
    bnez s0, tag
    check_calls 1, calls, 2
    check 2, s1, 1
    pass

callback:
    send_self SIGUSR1
    send_self SIGUSR2
    send_self SIGUSR1       /* not queued twice */
    li t0, 100000
1:  addi t0, t0, -1
    bnez t0, 1b
    la a0, duration         /* nanosleep, not interrupted */
    li a1, 0
    syscall 101
    check 3, a0, 0
    check_calls 4, calls, 0
    li s1, 1
    ctr_ret

handler:
    increment calls
    ret

    .data
    .balign 8
duration:
    .dword 0, 1000
calls:
    .dword 0
