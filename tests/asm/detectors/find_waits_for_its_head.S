/* [H2] A find waits until control comes to its head, by a branch that does not branch, too; without a callback none waits. */
#include "check.h"

    .globl _start
_start:
    li s0, 7
    la ra, 1f
    j alone                             /* found while hotcall is zero: nobody ever hears of it */
1:  la t0, callback
    csrw XSTRATA_CSR_hotcall, t0
    li s0, 3
    la ra, 1f
    j alone
1:  check 1, s2, 0
    /* The path from `inner` is found where it ends, at `outer`; control comes to its head behind the next branch. */
    li s0, 7
    la ra, 1f
    j outer
1:  check 2, s2, 2
    check_address 3, s3, inner
    check 4, s5, 2
    check_address 5, s4, outer
    pass

alone:
    addi s0, s0, -1
    bnez s0, alone
    jr ra

outer:
    li s1, 2
    beqz s0, out
inner:
    addi s1, s1, -1
    bnez s1, inner
    addi s0, s0, -1
    j outer
out:
    jr ra

callback:
    addi s2, s2, 1
    mv s3, s4
    csrr s4, XSTRATA_CSR_ctrarg
    hot_read s5, x0
    ctr_ret
