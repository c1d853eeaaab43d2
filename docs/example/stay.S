/* The program of the second worked example in docs/passes.md: a loop with a function and a mode that were chosen before. */
    .globl _start
    .text
_start:
    li s1, 4000000      /* turns */
    li s2, 1            /* mode: 0 is off, and a factor */
    li s3, 24           /* a size */
    la s4, add          /* what to do */
loop:
    beqz s2, off
    mul a1, s3, s2
    jalr s4
    addi s1, s1, -1
    bnez s1, loop
off:
    li a0, 0
    li a7, 93
    ecall
add:
    add s5, s5, a1
    ret
