/* A path that has as many blocks as it may have ends there; what follows is on none until control goes backward. */
#include "check.h"

    .globl _start
_start:
    li s0, 11
loop:
    .rept 6
    beqz x0, 1f
    nop
1:
    .endr
    addi s0, s0, -1
    bnez s0, loop
    pass
