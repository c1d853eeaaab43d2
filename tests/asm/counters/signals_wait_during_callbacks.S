/* [K5] A signal that arrives during a callback waits until the instruction behind the last ctr.ret has run. */
#include "check.h"
#include "signal.h"

    .globl _start
_start:
    install SIGUSR1, handler
    counter tag, callback, 1
    counter inner, callback_pending, 1
    .option norvc
tag:
    addi s0, s0, 1
    addi s0, s0, 1
    addi s0, s0, 1
    check_calls 1, calls, 1
    check 2, s1, 1
    check 3, s2, 1
    /* It came behind the tagged instruction and before the next. */
    la t0, interrupted_at
    ld t0, 0(t0)
    la t1, tag
    sub t0, t0, t1
    check 4, t0, 4
    la t0, seen
    ld t0, 0(t0)
    check 5, t0, 1
    pass

    .option norvc
callback:
    send_self SIGUSR1
    check 6, a0, 0
    li s1, 1
inner:
    nop
    check_calls 7, calls, 0
    ctr_ret
callback_pending:
    li s2, 1
    check_calls 8, calls, 0
    ctr_ret

handler:
    la t0, interrupted_at
    ld t1, UC_PC(a2)
    sd t1, 0(t0)
    la t0, seen
    sd s0, 0(t0)
    increment calls
    ret

    .bss
    .balign 8
calls:
    .dword 0
interrupted_at:
    .dword 0
seen:
    .dword 0
