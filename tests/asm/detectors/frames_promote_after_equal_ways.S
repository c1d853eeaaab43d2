/* A branch is promoted when it has gone the same way the stated number of times in a row, and not one earlier; the next
 * time it is an assertion.  In so many turns the branch is taken one time less, and then not. */
#include "check.h"

    .option norvc                       /* as long with any number of turns */
    .globl _start
_start:
    li s0, TURNS
loop:
    addi s0, s0, -1
    bnez s0, loop
    pass
