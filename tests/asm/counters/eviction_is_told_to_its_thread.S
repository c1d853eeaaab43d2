/* [V2] [V5] Each thread has its own ctrgone: that of another one does not change while its callback runs. */
#include "check.h"
#include "process.h"

    .globl _start
_start:
    la t0, evicted
    csrw XSTRATA_CSR_ctrevict, t0
    counter_only a
    call a
    call a
    counter_only b              /* evicts a */
    call b
    check 1, s1, 2
    check 2, s2, 2
    join_thread alive
    pass

/* The thread is told of b's eviction while this waits. */
evicted:
    addi s1, s1, 1
    csrr s2, XSTRATA_CSR_ctrgone
    li t0, 2
    bne s2, t0, in_thread
    mv s5, ra
    start_thread thread, stack, alive
1:  la t0, told
    ld t0, 0(t0)
    bnez t0, 2f
    syscall SYS_sched_yield
    j 1b
2:  csrr s2, XSTRATA_CSR_ctrgone
    addi s1, s1, 1
    mv ra, s5
    ctr_ret
in_thread:
    ctr_ret

thread:
    csrr t0, XSTRATA_CSR_ctrgone
    check 3, t0, 0
    li s1, 0
    counter_only c              /* evicts b */
    call c
    check 4, s1, 1
    check 5, s2, 1
    li t0, 1
    la t1, told
    sd t0, 0(t1)
    end_thread

a:  ret
b:  ret
c:  ret

    .bss
    .balign 16
    .zero 1024
stack:
told:
    .dword 0
alive:
    .word 0
