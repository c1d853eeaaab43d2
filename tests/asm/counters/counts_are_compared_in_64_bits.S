/* [C9] Counts and thresholds are compared in 64 bits: thresholds that only look small in 8, 16 or 32 are not reached. */
#include "check.h"

    .globl _start
_start:
    counter tag, callback, (1 << 32) + 3
    call loop
    counter tag, callback, (1 << 16) + 300
    call loop
    counter tag, callback, (1 << 63) + 600
    call loop
    check_count 1, tag, 600
    pass

callback:
    fail_as 2

loop:
    li s0, 200
tag:
    addi s0, s0, -1
    bnez s0, tag
    ret
