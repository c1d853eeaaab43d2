/* [C4] Threshold 0 is never reached. */
#include "check.h"

    .globl _start
_start:
    counter tag, callback, 0
    li s0, 300
tag:
    addi s0, s0, -1
    bnez s0, tag
    check_count 1, tag, 300
    pass

callback:
    fail_as 2
