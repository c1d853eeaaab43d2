/* A system call: getpid. */
#include "loop.inc"
    program
    loop
    li a7, 172
    ecall
    end_loop
