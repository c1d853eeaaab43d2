/* Loops around changes of the code's mapping, with which all that was translated goes: before, inside and after other
 * loops, and in a function; and around fence.i, with which it goes once, and never again while code stays as it is. */
    .macro flush
    lui a0, %hi(_start)
    lui a1, 1
    li a2, 5 /* to be read and executed, as before */
    li a7, 226
    ecall    /* mprotect */
    .endm

    .globl _start
_start:
    li s0, 12
    la s4, called
rounds:
    li s1, 30
before:
    addi s1, s1, -1
    bnez s1, before
    flush
    li s1, 45
    j inside
again:
    addi s1, s1, -1
inside:
    li s2, 7
inner:
    addi s2, s2, -1
    bnez s2, inner
    andi t0, s1, 15
    bnez t0, 1f
    flush
1:
    bgtz s1, again
    fence.i
    jalr s4
    jalr s4
    call called
    addi s0, s0, -1
    bnez s0, rounds
    li a0, 0
    li a7, 94
    ecall

called:
    li t1, 9
2:
    addi t1, t1, -1
    bnez t1, 2b
    andi t0, s0, 1
    beqz t0, 3f
    flush
3:
    ret
