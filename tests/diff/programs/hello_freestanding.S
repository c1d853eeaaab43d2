# Shows system calls without a libc: write in two parts, then exit with status 7.
    .globl _start
_start:
    li a0, 1
    lla a1, text
    li a2, 6
    li a7, 64
    ecall
    mv s0, a0
    li a0, 1
    lla a1, text + 6
    li a2, 14
    ecall
    add a0, a0, s0
    addi a0, a0, -13
    li a7, 94
    ecall

    .section .rodata
text:
    .ascii "hello without libc\n\n"
