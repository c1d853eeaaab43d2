/* [H8] execve clears the registers and what has been found. */
#include "check.h"
#include "process.h"

    .globl _start
_start:
    ld t0, 0(sp)
    li t1, 2
    beq t0, t1, again
    ld s0, 8(sp)            /* argv[0]: the program itself */
    la t0, callback
    csrw XSTRATA_CSR_hotcall, t0
    csrw XSTRATA_CSR_hotlow, x0
    li s1, 5
loop:
    addi s1, s1, -1
    bnez s1, loop
    hot_read t0, x0
    check 1, t0, 1
    csrw XSTRATA_CSR_hotlow, s0
    csrw XSTRATA_CSR_hothigh, s0
    csrwi XSTRATA_CSR_hotmode, 1
    la a1, arguments
    sd s0, 0(a1)
    la t0, second
    sd t0, 8(a1)
    mv a0, s0
    la a2, arguments + 16
    syscall SYS_execve
    fail_as 2

again:
    csrr t0, XSTRATA_CSR_hotcall
    check 3, t0, 0
    csrr t0, XSTRATA_CSR_hotlow
    check 4, t0, 0
    csrr t0, XSTRATA_CSR_hothigh
    check 5, t0, 0
    csrr t0, XSTRATA_CSR_hotmode
    check 6, t0, 0
    hot_read t0, x0
    check 7, t0, ALL_ONES
    csrr t0, XSTRATA_CSR_strfeat
    andi t0, t0, 32
    check 8, t0, 32
    pass

callback:
    ctr_ret

    .data
    .balign 8
arguments:
    .dword 0, 0, 0
second:
    .asciz "again"
