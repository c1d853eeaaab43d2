/* Three loops, one in the other, closed by conditional branches; the middle one ends at the head of the outer. */
    .globl _start
_start:
    li s0, 40
outer:
    li s1, 30
middle:
    li s2, 7
inner:
    addi s2, s2, -1
    bnez s2, inner
    addi s1, s1, -1
    bnez s1, middle
    addi s0, s0, -1
    bgtz s0, outer
    li a0, 0
    li a7, 94
    ecall
