/* [V2] Who is told what a counter had counted has not lost it: with the next counter it reaches a threshold that neither does. */
#include "check.h"

    .globl _start
_start:
    la s4, evicted
    csrw XSTRATA_CSR_ctrevict, s4
    counter_only a
    li s0, 6
    la s5, a
1:  jalr s5
    addi s0, s0, -1
    bnez s0, 1b
    counter_only b              /* evicts a, which has counted 6 */
    call b
    csrw XSTRATA_CSR_ctrevict, x0
    counter_only a              /* evicts b */
    li s0, TURNS
2:  jalr s5
    addi s0, s0, -1
    bnez s0, 2b
    pass

evicted:
    ctr_ret

a:  ret
b:  ret
