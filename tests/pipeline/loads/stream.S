/* Reads LINES lines of 64 bytes, STRIDE apart, PASSES times; `load` is the only load. */
    .option norvc
    .option norelax
    .text
    .globl _start, load
_start:
    li s0, PASSES
again:
    la t0, array
    li t1, LINES
    li t3, STRIDE
next:
load:
    ld t2, 0(t0)
    .rept WORK
    mul t4, t4, t2
    .endr
    add t0, t0, t3
    addi t1, t1, -1
    bnez t1, next
    addi s0, s0, -1
    bnez s0, again
    li a7, 93
    li a0, 0
    ecall

    .bss
    .balign 65536
array:
    .space LINES * STRIDE
