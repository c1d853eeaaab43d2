/* A program of two parts that take turns: FAST instructions of 1 cycle in four, then SLOW of 1 in one.
 *
 * Each part is a loop of 16 instructions that are predicted and hit: independent additions, or a chain.
 * Both parts are one region each. */
    .option norvc
    .option norelax
    .text
    .globl _start
_start:
    li s0, ROUNDS
round:
    li s1, PART
    slti x0, x0, 1
    .balign 64
fast:
    .rept 7
    addi t0, x0, 1
    addi t1, x0, 1
    .endr
    addi s1, s1, -1
    bnez s1, fast
    slti x0, x0, 2
    li s1, PART
    .balign 64
slow:
    .rept 14
    addi t0, t0, 1
    .endr
    addi s1, s1, -1
    bnez s1, slow
    addi s0, s0, -1
    bnez s0, round

    li a7, 64 /* write */
    li a0, 1
    la a1, text
    li a2, 5
    ecall
    li a7, 93
    li a0, 7
    ecall
    .section .rodata
text:
    .ascii "done\n"
