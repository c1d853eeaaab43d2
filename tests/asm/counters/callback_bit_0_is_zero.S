/* [B1] Bit 0 of a callback's address counts as zero. */
#include "check.h"

    .globl _start
_start:
    counter tag, callback + 1, 1
tag:
    check 1, s0, 1
    pass

    .balign 4
callback:
    li s0, 1
    ctr_ret
