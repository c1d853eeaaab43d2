/* Reads 512 lines of 64 bytes twice: the second time they are in a cache that has room for them. */
    .option norvc
    .option norelax
    .text
    .globl _start
_start:
    li s0, 2
again:
    la t0, data
    li t1, 512
line:
    ld t2, 0(t0)
    addi t0, t0, 64
    addi t1, t1, -1
    bnez t1, line
    addi s0, s0, -1
    bnez s0, again
    li a7, 93
    li a0, 0
    ecall
    .bss
    .balign 4096
data:
    .skip 512 * 64
