/* A branch takes the place of the one that was executed least; candidates are never replaced, and what finds its set full
 * of them is not recorded.  Three branches in a loop of 50 turns, and room for two. */
#include "check.h"

    .globl _start
_start:
    li s0, 50
loop:
    bnez x0, fail
second:
    bnez x0, fail
    addi s0, s0, -1
    bnez s0, loop
    pass
