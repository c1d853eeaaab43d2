/* The frame of a program that repeats a body ITERATIONS times: two instructions each time around. */

.macro program.option norvc.option norelax.text.globl _start _start
    :.endm

         .macro loop li s11,
    ITERATIONS.balign 64 again
    :.endm

         .macro end_loop addi s11,
    s11, -1 bnez s11, again li a7, 94 li a0, 0 ecall.endm
