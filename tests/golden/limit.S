/* Golden: --max-instructions stops after exactly so many, in a block, a callback, a handler, a thread or a system call. */
#include "check.h"
#include "process.h"
#include "signal.h"

    .globl _start
_start:
    install SIGUSR1, handler
    counter tag, callback, 100
    start_thread thread, stack, alive
    li s0, 200
tag:
    addi s0, s0, -1
    .rept 100
    addi s1, s1, 1
    .endr
    bnez s0, tag
    send_self SIGUSR1
    join_thread alive
    pass

callback:
    li t0, 50
1:  addi t0, t0, -1
    bnez t0, 1b
    ctr_ret
handler:
    li t0, 50
1:  addi t0, t0, -1
    bnez t0, 1b
    ret
thread:
    li s0, 30000
1:  addi s0, s0, -1
    bnez s0, 1b
    end_thread

    .bss
    .balign 16
    .zero 256
stack:
alive:
    .word 0
