/* [C7] [E4] Counting costs no instruction: the same program retires the same number, whatever is armed. */
#include "check.h"

    .globl _start
_start:
    li s0, 1000
loop:
    call function
    addi s0, s0, -1
    bnez s0, loop
    check 1, s1, 1000
    pass

function:
    addi s1, s1, 1
    ret
