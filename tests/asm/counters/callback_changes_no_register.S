/* [B1] A callback that saves what it uses is invisible: the hardware changes no register, and ctr.ret none. */
#include "check.h"

    .macro each_integer apply
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    \apply \n
    .endr
    .endm
    .macro each_float apply
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    \apply \n
    .endr
    .endm
    .macro set_float n
    li t0, 0x4000000000000000 + \n
    fmv.d.x f\n, t0
    .endm
    .macro set_integer n
    li x\n, 0x1234567800000000 + \n
    .endm
    .macro save_integer n
    .if \n != 5
    sd x\n, 8 * \n(t0)
    .endif
    .endm
    .macro save_float n
    fsd f\n, 256 + 8 * \n(t0)
    .endm
    .macro check_integer n
    ld t1, 8 * \n(t0)
    li t2, 0x1234567800000000 + \n
    bne t1, t2, wrong
    .endm
    .macro check_float n
    ld t1, 256 + 8 * \n(t0)
    li t2, 0x4000000000000000 + \n
    bne t1, t2, wrong
    .endm

    .globl _start
_start:
    counter tag, callback, 1
    la t0, area
    csrw XSTRATA_CSR_ctrscratch, t0
    each_float set_float
    li t0, 0x65
    csrw fcsr, t0
    each_integer set_integer
tag:
    nop
    /* All of them once more, after the return. */
    csrw XSTRATA_CSR_ctrscratch, t0
    la t0, area2
    each_integer save_integer
    each_float save_float
    csrr t1, XSTRATA_CSR_ctrscratch
    sd t1, 8 * 5(t0)
    frcsr t1
    sd t1, 512(t0)

    la t0, area
    li s11, 1
    call verify
    la t0, area2
    li s11, 2
    call verify
    pass

callback:
    csrrw t0, XSTRATA_CSR_ctrscratch, t0
    each_integer save_integer
    each_float save_float
    csrrw t0, XSTRATA_CSR_ctrscratch, t0
    csrrw t1, XSTRATA_CSR_ctrscratch, t1    /* t1 = area */
    sd t0, 8 * 5(t1)
    csrrw t1, XSTRATA_CSR_ctrscratch, t1
    csrrw t0, XSTRATA_CSR_ctrscratch, t0
    frcsr t1
    sd t1, 512(t0)
    ld t1, 8 * 6(t0)
    csrrw t0, XSTRATA_CSR_ctrscratch, t0
    ctr_ret

verify:
    mv s10, ra
    each_integer check_integer
    each_float check_float
    ld t1, 512(t0)
    li t2, 0x65
    bne t1, t2, wrong
    jr s10
wrong:
    mv a0, s11
    j fail

    .bss
    .balign 8
area:
    .zero 520
area2:
    .zero 520
