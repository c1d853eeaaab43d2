/* Golden: instructions of the extension, CSR accesses and fences retire as one instruction each. */
#include "check.h"

    .globl _start
_start:
    la t0, tag              /* 2 */
    ctr_new t0, x0
    ctr_read t1, t0
    csrr t1, XSTRATA_CSR_ctrthresh
    csrwi XSTRATA_CSR_ctrthresh, 2
    li t1, 4
    ic_sync t0, t1, 1
    fence.i
    fence
    sit_new t0
    ctx_start t1, t0, t0
    la t1, callback         /* 2 */
    ctr_new t0, t1          /* 15 so far */
    li s0, 3
tag:
    addi s0, s0, -1
    bnez s0, tag
    ctr_drop t0             /* 15 + 1 + 6 + 1, and 2 of the callback */
    pass                    /* 3 */

callback:
    nop
    ctr_ret
