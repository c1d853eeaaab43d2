/* [C6] Callback 0 means count only: no callback is taken at the threshold. */
#include "check.h"

    .globl _start
_start:
    li t0, 4
    csrw XSTRATA_CSR_ctrthresh, t0
    counter_only tag
    li s0, 12
tag:
    addi s0, s0, -1
    bnez s0, tag
    check_count 1, tag, 12
    pass
