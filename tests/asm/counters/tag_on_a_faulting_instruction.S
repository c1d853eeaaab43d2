/* [C8] An instruction that is counted and then faults has been counted; its repetition is another execution. */
#include "check.h"
#include "signal.h"

    .globl _start
_start:
    install SIGSEGV, repair
    install SIGILL, handler
    install SIGTRAP, handler

    /* The handler points s0 to memory, and the load is run again. */
    counter_only load
    li s0, 0
load:
    ld s1, 0(s0)
    check 1, s1, 99
    check_count 2, load, 2

    /* With its callback before the fault: taken once, and the repetition is counted. */
    counter store, callback, 1
    li s0, 0
store:
    sd s1, 0(s0)
    check 3, s2, 1
    check_count 4, store, 2

    /* With its callback before the repetition. */
    counter store2, callback, 2
    li s0, 0
store2:
    sd s1, 0(s0)
    check 5, s2, 2
    check_count 6, store2, 2

    /* Instructions that never complete. */
    counter_only illegal
    counter breakpoint, callback, 1
illegal:
    .word 0xffffffff
    check_count 7, illegal, 1
    .option push
    .option norvc
breakpoint:
    ebreak
    .option pop
    check_count 8, breakpoint, 1
    check 9, s2, 3
    check_calls 10, calls, 2
    pass

callback:
    addi s2, s2, 1
    ctr_ret

repair:
    la t0, word
    sd t0, UC_X + 8 * 8(a2)     /* s0 */
    ret

    stepping_handler handler, calls

    .data
    .balign 8
word:
    .dword 99
calls:
    .dword 0
