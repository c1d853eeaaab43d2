/* [K2] [B9] Return PC, argument, scratch and pending callbacks are the thread's own; other threads run on during its callback. */
#include "check.h"
#include "process.h"

    .globl _start
_start:
    li t0, 0x1111
    csrw XSTRATA_CSR_ctrscratch, t0
    csrw XSTRATA_CSR_ctrarg, t0
    csrw XSTRATA_CSR_ctrepc, t0
    li t0, 77
    csrw XSTRATA_CSR_ctrthresh, t0
    counter tag, callback, 1
    counter in_callback, callback_pending, 1
    counter in_thread, callback_thread, 1
tag:
    nop
    check_address 1, s1, tag
    check_address 2, s2, tag
    check 3, s3, 1
    csrr t0, XSTRATA_CSR_ctrscratch
    check 4, t0, 0x1111
    join_thread alive
    pass

/* The thread starts here, inside a callback, and ends before the callback does. */
callback:
    start_thread thread, stack, alive
    li s3, 0
in_callback:
    nop
1:  la t0, thread_callbacks
    ld t0, 0(t0)
    bnez t0, 2f
    syscall SYS_sched_yield
    j 1b
2:  csrr s1, XSTRATA_CSR_ctrarg
    csrr s2, XSTRATA_CSR_ctrepc
    csrr t0, XSTRATA_CSR_ctrscratch
    check 5, t0, 0x1111
    check 6, s3, 0
    ctr_ret
callback_pending:
    addi s3, s3, 1
    ctr_ret

thread:
    csrr t0, XSTRATA_CSR_ctrscratch
    check 7, t0, 0
    csrr t0, XSTRATA_CSR_ctrarg
    check 8, t0, 0
    csrr t0, XSTRATA_CSR_ctrepc
    check 9, t0, 0
    li t0, 0x2222
    csrw XSTRATA_CSR_ctrscratch, t0
    li s3, 0
    /* The table's registers are shared. */
    csrr t0, XSTRATA_CSR_ctrthresh
    check 10, t0, 1
    /* It is outside a callback: its own is taken at once. */
in_thread:
    nop
    check 11, s4, 1
    li t0, 1
    la t1, thread_callbacks
    sd t0, 0(t1)
    end_thread
callback_thread:
    li s4, 1
    ctr_ret

    .bss
    .balign 16
    .zero 1024
stack:
thread_callbacks:
    .dword 0
alive:
    .word 0
