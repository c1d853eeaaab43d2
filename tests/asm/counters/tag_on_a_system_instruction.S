/* [C1] [B3] Tags may be ecall, CSR accesses, fences and instructions of the extension itself. */
#include "check.h"

    .globl _start
_start:
    counter call, callback, 1
    counter register, callback, 1
    counter fence, callback, 1
    counter synchronize, callback, 1
    counter reading, callback, 2
    counter creating, callback, 2
    counter returning, second, 2
    li s0, 4
loop:
    li a7, 172              /* getpid */
call:
    ecall
register:
    csrr t0, XSTRATA_CSR_ctrthresh
fence:
    fence.i
    la t0, loop
    li t1, 4
synchronize:
    ic_sync t0, t1, 1
    la t0, reading
reading:
    ctr_read s1, t0
    la t0, other
creating:
    ctr_new t0, x0
    addi s0, s0, -1
    bnez s0, loop
    check_count 1, call, 4
    check_count 2, register, 4
    check_count 3, fence, 4
    check_count 4, synchronize, 4
    check_count 5, reading, 4
    check 6, s1, 4
    check_count 7, creating, 4
    check 8, s2, 6
    check 9, s3, 1
    check_count 10, returning, 6
    pass

callback:
    addi s2, s2, 1
returning:
    ctr_ret
second:
    addi s3, s3, 1
    ctr_ret

other:
    nop
