/* The program of the worked example in docs/passes.md: a loop as a compiler writes it that does not optimize, with its
 * variables on the stack. */
    .globl _start
    .text
_start:
    addi sp, sp, -32
    la a4, numbers
    sd a4, 8(sp)        /* at */
    sd zero, 16(sp)     /* sum */
    li a5, 4000000
    sw a5, 28(sp)       /* turns */
loop:
    ld a5, 8(sp)
    ld a4, 0(a5)
    ld a5, 16(sp)
    add a5, a5, a4
    sd a5, 16(sp)       /* sum += *at */
    lw a5, 28(sp)
    andi a4, a5, 63
    ld a5, 8(sp)
    addi a5, a5, 8
    sd a5, 8(sp)        /* at++ */
    bnez a4, on
    la a4, numbers
    sd a4, 8(sp)        /* once in 64 turns: from the beginning */
on:
    lw a5, 28(sp)
    addiw a5, a5, -1
    sw a5, 28(sp)
    lw a5, 28(sp)
    bnez a5, loop       /* while (--turns != 0) */
    li a0, 0
    li a7, 93
    ecall
    .bss
numbers:
    .zero 1024
