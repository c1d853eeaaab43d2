/* What was not used for longest leaves a full table: branches that are executed in turn, and one more than there is room
 * for, are never promoted; a frame leaves for another one.
 *
 * Four branches in all, of which three are in the loop; then a loop by itself. */
#include "check.h"

    .globl _start
_start:
    li s0, 100
loop:
    bnez x0, fail
    bnez x0, fail
    addi s0, s0, -1
    bnez s0, loop
    li s0, 100
second:
    addi s0, s0, -1
    bnez s0, second
    pass
