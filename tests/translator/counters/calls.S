/* Loops inside functions that are called from loops, directly and through a pointer, and recursion. */
    .globl _start
_start:
    li s0, 80
    la s1, twice
each:
    mv a0, s0
    call count_down
    mv a0, s0
    jalr s1
    li a0, 6
    call recurse
    addi s0, s0, -1
    bnez s0, each
    li a0, 0
    li a7, 94
    ecall

count_down:
    addi a0, a0, -1
    bgtz a0, count_down
    ret

twice:
    addi sp, sp, -16
    sd ra, 0(sp)
    call count_down
    ld ra, 0(sp)
    addi sp, sp, 16
    ret

recurse:
    blez a0, bottom
    addi sp, sp, -16
    sd ra, 0(sp)
    addi a0, a0, -1
    call recurse
    ld ra, 0(sp)
    addi sp, sp, 16
bottom:
    ret
