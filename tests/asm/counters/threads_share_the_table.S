/* [K1] [C1] All threads share the table: the executions of each are counted in it, and each can read it. */
#include "check.h"
#include "process.h"

    .globl _start
_start:
    counter tag, callback, 50000
    start_thread one, stack_one, alive_one
    start_thread two, stack_two, alive_two
    li s0, 20000
    call loop
    join_thread alive_one
    join_thread alive_two
    check_count 1, tag, 65000
    check_count 2, made_by_one, 15000
    la t0, callbacks
    ld t0, 0(t0)
    check 3, t0, 1
    pass

one:
    counter_only made_by_one
    li s0, 30000
    call loop
    end_thread
two:
    li s0, 15000
    call loop
    la ra, 1f
    li s0, 15000
    j made_by_one
1:  end_thread

loop:
tag:
    addi s0, s0, -1
    bnez s0, loop
    ret
made_by_one:
    addi s0, s0, -1
    bnez s0, made_by_one
    ret

callback:
    la t0, callbacks
    li t1, 1
    amoadd.d x0, t1, (t0)
    ctr_ret

    .bss
    .balign 16
    .zero 1024
stack_one:
    .zero 1024
stack_two:
callbacks:
    .dword 0
alive_one:
    .word 0
alive_two:
    .word 0
