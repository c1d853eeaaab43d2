/* Loops whose heads share a slot of sw-paper's table, taking turns; and one that shares with none. */
    .globl _start
    .option norvc
    .balign 8192
_start:
    li s0, 25
    j round
    .balign 8192
    .skip 64
first:
    addi s1, s1, -1
    bnez s1, first
    j second_round
    .balign 8192
    .skip 64
second:
    addi s1, s1, -1
    bnez s1, second
    j third_round
    .balign 8192
    .skip 64
third:
    addi s1, s1, -1
    bnez s1, third
    j alone_round
    .balign 8192
    .skip 128
alone:
    addi s1, s1, -1
    bnez s1, alone
    addi s0, s0, -1
    beqz s0, finish
round:
    li s1, 9
    jal x0, first
second_round:
    li s1, 150
    j second
third_round:
    li s1, 4
    j third
alone_round:
    li s1, 5
    jal x0, alone
finish:
    li a0, 0
    li a7, 94
    ecall
