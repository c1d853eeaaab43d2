/* [B3] [K6] Wherever the machine stops and goes on, in a callback or behind ctr.ret, counts stay exact. */
#include "check.h"

/* A timer in virtual time interrupts at a different instruction each time round: its period
 * and the loop's length have no common factor. */
    .globl _start
_start:
    counter tag, callback, 1
    counter_only always
    la a1, interval
    li a0, 0                /* ITIMER_REAL, SIGALRM */
    li a2, 0
    li s0, 0
    addi sp, sp, -32
    la t5, handler
    sd t5, 0(sp)
    sd x0, 8(sp)
    sd x0, 16(sp)
    mv s5, a1
    li a0, 14
    mv a1, sp
    li a2, 0
    li a3, 8
    syscall 134
    li a0, 0
    mv a1, s5
    li a2, 0
    syscall 103             /* setitimer */
loop:
    addi s0, s0, 1
tag:
    addi s1, s1, 1
always:
    addi s2, s2, 1
    li t0, 2000
    bne s0, t0, loop
    check 1, s1, 2000
    check 2, s2, 2000
    check_count 3, tag, 2000
    check_count 4, always, 2000
    check 5, s3, 2000
    la t0, alarms
    ld t0, 0(t0)
    sltiu t0, t0, 5
    check 6, t0, 0          /* there were some */
    pass

/* Each callback asks for the next one. */
callback:
    addi s3, s3, 1
    csrr s6, XSTRATA_CSR_ctrarg
    ctr_read s7, s6
    addi s7, s7, 1
    csrw XSTRATA_CSR_ctrthresh, s7
    la s8, callback
    ctr_new s6, s8
    ctr_ret

handler:
    increment alarms
    ret

    .data
    .balign 8
interval:
    .dword 0, 1, 0, 1       /* a microsecond: 1000 instructions */
alarms:
    .dword 0
