/* The program of the worked example in docs/traces.md: a hot loop with a branch that is seldom taken, a call through a
 * register and a direct call. */
    .globl _start
    .text
_start:
    li s1, 1000000      /* turns */
    la s2, add
loop:
    andi t0, s1, 63
    beqz t0, seldom     /* one turn in 64 */
    jalr s2
next:
    jal mix
    addi s1, s1, -1
    bnez s1, loop
    li a0, 0
    li a7, 93
    ecall
add:
    add s0, s0, s1
    ret
mix:
    xor s3, s3, s0
    ret
seldom:
    addi s4, s4, 1
    j next
