/* A direct call, even backward, is in the middle of a block and begins no path; a return begins a block, and so does an
 * indirect jump. */
#include "check.h"

    .globl _start
function:
    andi t0, s0, 1
    beqz t0, even
    nop
even:
    ret
_start:
    li s0, 41
    la s1, behind
loop:
    jal function
back:
    jr s1
    nop
behind:
    addi s0, s0, -1
    bnez s0, loop
    pass
