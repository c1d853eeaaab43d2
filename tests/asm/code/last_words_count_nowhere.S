/* [K7] [K8] [K9] Last words run behind the limit, with their own stack and argument, while the program stands in its
 * loop; they end with ebreak, a fault, an exit, a call that waits or never, and change nothing that is counted. */
#include "check.h"

    .globl _start
_start:
    la t0, words
    li t1, 24
    ic_sync t0, t1, 7
    la s0, tag
    li s1, 0
    ctr_new s0, s1
tag:
    addi s2, s2, 1
    j tag

last:
    la t0, stack
    bne sp, t0, wrong
    la t0, words
    bne a0, t0, wrong
    bnez s2, wrong
    ctr_read t0, s0         /* s0 is zero here: there is none */
    li a0, 1
    la a1, said
    li a2, 5
    li a7, 64
    ecall                   /* write */
    call tag_like
#if END == 1
    ebreak
#elif END == 2
    ld t0, 0(x0)
#elif END == 3
    li a0, 77
    li a7, 94
    ecall                   /* exit_group */
#elif END == 4
    la a0, stack
    li a1, 128              /* FUTEX_WAIT_PRIVATE */
    li a2, 0
    li a3, 0
    li a7, 98
    ecall
#endif
    ebreak
tag_like:
    la t0, stack
    sd ra, -8(t0)
    ret
wrong:
    li a0, 1
    la a1, not_so
    li a2, 6
    li a7, 64
    ecall
    ebreak

    .section .rodata
said:
    .ascii "said\n"
not_so:
    .ascii "wrong\n"

    .data
    .balign 8
words:
    .dword last, stack, words
    .skip 64
stack:
    .dword 0
