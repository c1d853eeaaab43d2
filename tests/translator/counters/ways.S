/* A head that is reached by falling into it, by forward branches, by jumps, through a register and by a call. */
    .globl _start
_start:
    li s0, 60
round:
    li s1, 4
    andi t0, s0, 3
    beqz t0, head /* forward */
    li t1, 1
    beq t0, t1, by_register
    li t1, 2
    beq t0, t1, by_call
    addi s1, s1, 1 /* falls */
head:
    addi s1, s1, -1
    bgtz s1, head
    bnez s2, return
next:
    addi s0, s0, -1
    bnez s0, round
    li a0, 0
    li a7, 94
    ecall
by_register:
    la t2, head
    jr t2
by_call:
    li s2, 1
    call head
    li s2, 0
    j next
return:
    ret
