/* [I6] Counters count by address: code that was written anew at a tag is counted like the code before it. */
#include "check.h"

    .globl _start
_start:
    counter tag, callback, 5
    li s4, 4
    li s0, 1
1:  slli t0, s0, 20
    addi t0, t0, 0x513      /* li a0, s0 */
    la t1, tag
    sw t0, 0(t1)
    ic_sync t1, s4, 1
    call tag
    check_same 1, a0, s0
    addi s0, s0, 1
    li t0, 11
    bne s0, t0, 1b
    check_count 2, tag, 10
    check 3, s1, 1
    check 4, s2, 5
    pass

callback:
    addi s1, s1, 1
    mv s2, s0
    ctr_ret

    .section .patched, "awx"
    .option norvc
tag:
    li a0, 0
    ret
