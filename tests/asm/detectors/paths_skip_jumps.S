/* Direct jumps forward do not end a block.  A block of nothing but a jump is none: one that jumps forward begins where
 * that leads, one that jumps backward is not on the path that it ends; a head of that kind is none either. */
#include "check.h"

    .globl _start
_start:
    li s0, 41
loop:
    addi s0, s0, -1
    j middle
    nop
middle:
    andi t0, s0, 1
    bnez t0, trampoline
even:
    bnez s0, back
    pass
odd:
    nop
    j loop
trampoline:
    j beyond
back:
    j loop
beyond:
    j odd
