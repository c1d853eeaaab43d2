/* The program of the second worked example in docs/passes.md: what indices lead to is added up. */
    .equ COUNT, 65536
    .globl _start
    .text
_start:
    li s1, 100          /* rounds */
    la s2, values
round:
    la a4, indices
    li a3, 4 * COUNT
    add a3, a4, a3
loop:
    lwu a5, 0(a4)
    addi a4, a4, 4
    slli a5, a5, 3
    add a5, a5, s2
    ld a5, 0(a5)
    add s0, s0, a5      /* sum += values[*index++] */
    bne a4, a3, loop
    addi s1, s1, -1
    bnez s1, round
    li a0, 0
    li a7, 93
    ecall
    .bss
indices:
    .zero 4 * COUNT
values:
    .zero 8 * COUNT
