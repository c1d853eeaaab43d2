/* A trace follows the branches of one thread: two loops whose threads give way to each other in the middle of each turn
 * have one trace each. */
#include "check.h"
#include "process.h"

    .globl _start
_start:
    start_thread other, stack, alive
    li s0, 200
loop:
    beqz x0, yield
yield:
    syscall SYS_sched_yield
    bgez a0, loop_end
loop_end:
    addi s0, s0, -1
    bnez s0, loop
    join_thread alive
    pass

other:
    li s0, 200
second:
    beqz x0, second_yield
second_yield:
    syscall SYS_sched_yield
    bgez a0, second_end
second_end:
    addi s0, s0, -1
    bnez s0, second
    end_thread

    .bss
    .balign 16
    .zero 1024
stack:
alive:
    .word 0
