/* [H7] Watching and finding cost no instruction; a callback costs its own. */
#include "check.h"

    .globl _start
_start:
    la t0, callback
#if CALLS
    csrw XSTRATA_CSR_hotcall, t0
#else
    csrr t0, XSTRATA_CSR_hotcall
#endif
    li s0, 300
loop:
    addi s0, s0, -1
    bnez s0, loop
    pass

callback:
    nop
    nop
    ctr_ret
