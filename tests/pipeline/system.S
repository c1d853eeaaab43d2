/* A system call: getpid. */
#include "loop.h"
    program
    loop
    li a7, 172
    ecall
    end_loop
