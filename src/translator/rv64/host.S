/* A system call of the translator's own: host_call(number, up to six arguments). */

    .text
    .globl host_call
    .hidden host_call
    .type host_call, @function
host_call:
    mv a7, a0
    mv a0, a1
    mv a1, a2
    mv a2, a3
    mv a3, a4
    mv a4, a5
    mv a5, a6
    ecall
    ret
    .size host_call, . - host_call

    .section .note.GNU-stack, "", @progbits
