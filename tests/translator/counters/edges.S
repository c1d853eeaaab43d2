/* Loops with two ways back to one head, taken in turns and for the first time late; and many loops in between. */
    .globl _start
_start:
    li s0, 9
outer:
    li s1, 260
head:
    addi s1, s1, -1
    beqz s1, done
    andi t0, s1, 3
    bnez t0, head
    .irp turns, 11, 12, 13, 14, 15, 16
    li t1, \turns
1:
    addi t1, t1, -1
    bnez t1, 1b
    .endr
    slti t0, s1, 60
    beqz t0, other
    j head
other:
    j head
done:
    addi s0, s0, -1
    bnez s0, outer
    li a0, 0
    li a7, 94
    ecall
