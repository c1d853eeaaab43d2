/* Direct jumps and calls are in the middle of a frame, and of its blocks; a return is an assertion of where it leads. */
#include "check.h"

    .globl _start
function:
    addi s1, s1, 1
    j 1f
    nop
1:  ret
_start:
    li s0, 100
loop:
    jal function
back:
    addi s0, s0, -1
    bnez s0, loop
    pass
