/* A frame that is shorter than the least is dropped; one that would be longer than the most ends before, and the next one
 * begins there.  100 turns of five instructions. */
#include "check.h"

    .globl _start
_start:
    li s0, 100
loop:
    nop
    nop
    nop
    addi s0, s0, -1
    bnez s0, loop
    pass
