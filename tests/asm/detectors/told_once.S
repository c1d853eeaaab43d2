/* [H2] What was told of is not told again, until the program writes one of the registers.  The loop is a hot spot, and
 * its trace is found, each time that the clear timer has cleared the buffer. */
#include "check.h"

    .globl _start
_start:
    la t0, callback
    csrw XSTRATA_CSR_hotcall, t0
    li s1, 6
again:
#if ANEW
    csrw XSTRATA_CSR_hotcall, t0
#endif
    li s0, 300
loop:
    addi s0, s0, -1
    bnez s0, loop
    addi s1, s1, -1
    bnez s1, again
    pass

callback:
    ctr_ret
