/* A hot spot is detected when the detection counter has come down to zero, lasts until the clear timer has gone round
 * once, which clears all, and is then detected anew. */
#include "check.h"

    .globl _start
_start:
    li s0, 1000
loop:
    addi s0, s0, -1
    bnez s0, loop
    pass
