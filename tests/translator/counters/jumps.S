/* Loops that jumps close: tested at the top, with two ways back, and a branch that jumps to itself. */
    .globl _start
_start:
    li s0, 500
top:
    beqz s0, done
    addi s0, s0, -1
    andi t0, s0, 3
    beqz t0, rare
    xori s1, s1, 1
    j top
rare:
    addi s2, s2, 1
    j top
done:
    li s0, 250
    .option push
    .option norvc
again:
    addi s0, s0, -1
    blez s0, last
    j again
last:
    .option pop
    li t0, 5
    li t1, 5
    bltu t0, t1, . /* never taken */
    li a0, 0
    li a7, 94
    ecall
