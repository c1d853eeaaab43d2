/* [K4] execve clears table, thresholds and the thread's part; the size of the table stays. */
#include "check.h"
#include "process.h"

    .globl _start
_start:
    ld t0, 0(sp)
    li t1, 2
    beq t0, t1, again
    ld s0, 8(sp)            /* argv[0]: the program itself */
    counter main, callback, 9
    counter_only again
    li t0, 0x5555
    csrw XSTRATA_CSR_ctrscratch, t0
    csrwi XSTRATA_CSR_ctrmode, 1
    la ra, 1f
    j main
1:  check_count 1, main, 1
    la a1, arguments
    sd s0, 0(a1)
    la t0, second
    sd t0, 8(a1)
    mv a0, s0
    la a2, arguments + 16
    syscall SYS_execve
    fail_as 2

again:
    csrr t0, XSTRATA_CSR_ctrthresh
    check 3, t0, 0
    csrr t0, XSTRATA_CSR_ctrscratch
    check 4, t0, 0
    csrr t0, XSTRATA_CSR_ctrmode
    check 5, t0, 0
    csrr t0, XSTRATA_CSR_ctrepc
    check 6, t0, 0
    check_count 7, main, ALL_ONES
    check_count 8, again, ALL_ONES
    csrr t0, XSTRATA_CSR_ctrentries
    check 9, t0, 12
    pass

main:
    nop
    ret
callback:
    ctr_ret

    .data
    .balign 8
arguments:
    .dword 0, 0, 0
second:
    .asciz "again"
