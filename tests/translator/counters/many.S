/* LOOPS loops one behind the other, of TURNS turns each, ROUNDS times: more than a table or a small cache holds. */
    .globl _start
_start:
    li s0, ROUNDS
round:
    .rept LOOPS
    li t0, TURNS
1:
    addi t0, t0, -1
    bnez t0, 1b
    .endr
    addi s0, s0, -1
    beqz s0, finish
    la t1, round
    jr t1
finish:
    li a0, 0
    li a7, 94
    ecall
