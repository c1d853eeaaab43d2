/* Threads that take turns on one context: what one has begun is broken off when the other one goes on, so no frame is of
 * both.  Each executes a loop of 40 turns 50 times, and gives way to the other one behind every time. */
#include "check.h"
#include "process.h"

    .globl _start
_start:
    start_thread other, stack, alive
    li s1, 50
first_again:
    li s0, 40
first:
    addi s0, s0, -1
    bnez s0, first
    syscall SYS_sched_yield
    addi s1, s1, -1
    bnez s1, first_again
    join_thread alive
    pass

other:
    li s1, 50
second_again:
    li s0, 40
second:
    addi s0, s0, -1
    bnez s0, second
    syscall SYS_sched_yield
    addi s1, s1, -1
    bnez s1, second_again
    end_thread

    .bss
    .balign 16
    .zero 1024
stack:
alive:
    .word 0
