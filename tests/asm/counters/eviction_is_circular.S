/* [N1] [N2] The index goes round: counters are evicted in the order of their creation, round after round. */
#include "check.h"

    .equ ENTRIES, 4
    .equ COUNTERS, 23

    .globl _start
_start:
    csrr t0, XSTRATA_CSR_ctrentries
    check 1, t0, ENTRIES
    la s0, field            /* s1: number of counters made so far */
next:
    slli t0, s1, 1
    add t0, t0, s0
    ctr_new t0, x0
    addi s1, s1, 1

    /* Of all tags exactly the last four made are there. */
    li s2, 0
1:  slli t0, s2, 1
    add t0, t0, s0
    ctr_read s3, t0
    addi t1, s1, -ENTRIES
    slt t2, s2, t1          /* older than the last four */
    slt t3, s2, s1          /* made at all */
    seqz t2, t2
    and t2, t2, t3
    addi s4, t2, -1         /* a count of 0, or all ones */
    check_same 2, s3, s4
    addi s2, s2, 1
    li t0, COUNTERS
    bne s2, t0, 1b
    bne s1, t0, next
    pass

field:
    .rept COUNTERS
    c.nop
    .endr
