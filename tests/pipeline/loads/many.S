/* Twelve loads: the first one reads one line of 64 bytes, the second two, and so on; no line is read twice. */
    .option norvc
    .option norelax
    .text
    .globl _start
_start:
    la t0, lines
    .set lines_each, 1
    .rept 12
    li t1, lines_each
1:
    ld t2, 0(t0)
    addi t0, t0, 64
    addi t1, t1, -1
    bnez t1, 1b
    .set lines_each, lines_each + 1
    .endr
    li a7, 93
    li a0, 0
    ecall

    .bss
    .balign 64
lines:
    .space 64 * 78
