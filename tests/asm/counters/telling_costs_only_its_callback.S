/* [V4] Telling of an eviction costs no instruction; the callback costs its own. */
#include "check.h"

    .globl _start
_start:
    la t0, evicted
#if TOLD
    csrw XSTRATA_CSR_ctrevict, t0
#else
    csrr t0, XSTRATA_CSR_ctrevict
#endif
    counter_only a
    counter_only b
b:  nop
    pass

evicted:
    nop
    nop
    ctr_ret
a:  nop
