/* Golden: 1 + 1000 * 2 + 3 instructions, whatever watches them, wherever the machine stops. */
    .globl _start
_start:
    li s0, 1000
loop:
    addi s0, s0, -1
    bnez s0, loop
    li a0, 0
    li a7, 94
    ecall
