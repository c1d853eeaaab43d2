/* Signals for the assembly tests: installing handlers, and where a handler finds the registers. */
#ifndef TESTS_ASM_SIGNAL_H
#define TESTS_ASM_SIGNAL_H

    .equ SIGILL, 4
    .equ SIGTRAP, 5
    .equ SIGUSR1, 10
    .equ SIGSEGV, 11
    .equ SIGUSR2, 12
    .equ SIGCHLD, 17
    .equ SA_SIGINFO, 4
    .equ SYS_rt_sigaction, 134
    .equ SYS_kill, 129
    .equ SYS_tgkill, 131
    .equ SYS_getpid, 172
    .equ SYS_gettid, 178

    /* Offsets in the ucontext, the handler's third argument: pc, then x1 to x31. */
    .equ UC_PC, 176
    .equ UC_X, 176

    .macro install signal, handler
    addi sp, sp, -32
    la t5, \handler
    sd t5, 0(sp)
    li t5, SA_SIGINFO
    sd t5, 8(sp)
    sd x0, 16(sp)
    li a0, \signal
    mv a1, sp
    li a2, 0
    li a3, 8
    li a7, SYS_rt_sigaction
    ecall
    addi sp, sp, 32
    .endm

    .macro send_self signal
    li a7, SYS_getpid
    ecall
    li a1, \signal
    li a7, SYS_kill
    ecall
    .endm

    /* A handler that counts its calls in `counter` and steps over a 4-byte instruction. */
    .macro stepping_handler name, counter
\name:
    la t0, \counter
    ld t1, 0(t0)
    addi t1, t1, 1
    sd t1, 0(t0)
    ld t1, UC_PC(a2)
    addi t1, t1, 4
    sd t1, UC_PC(a2)
    ret
    .endm

    /* `times` is what `counter` must stand at. */
    .macro check_calls number, counter, times
    la t5, \counter
    ld t5, 0(t5)
    check \number, t5, \times
    .endm

#endif
