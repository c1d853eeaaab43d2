/* Each instruction and CSR of Xstrata once; tests/isa/xstrata-compare knows the text of each. */
#include "isa/rv64/xstrata_asm.h"

    .text
    ctr_new a0, a1
    ctr_read a2, a3
    ctr_drop t6
    ctr_ret
    sit_new a0
    ctx_start a0, a1, a2
    ctx_stop
    ic_sync a0, a1, 0
    ic_sync t5, t6, 31
    ctr_time a0, a1, a2
    hot_read a0, a1
    hot_watch a0
    csrw XSTRATA_CSR_ctrthresh, a0
    csrw XSTRATA_CSR_ctrepc, a0
    csrr a0, XSTRATA_CSR_ctrarg
    csrrw sp, XSTRATA_CSR_ctrscratch, sp
    csrw XSTRATA_CSR_ctrmode, a0
    csrw XSTRATA_CSR_hotcall, a0
    csrw XSTRATA_CSR_hotlow, a0
    csrw XSTRATA_CSR_hothigh, a0
    csrw XSTRATA_CSR_hotmode, a0
    csrr a0, XSTRATA_CSR_ctrentries
    csrr a0, XSTRATA_CSR_strfeat
    csrw XSTRATA_CSR_ctrevict, a0
    csrr a0, XSTRATA_CSR_ctrgone
