/* [T1] [T2] [T3] [T4] [T5] A counter measures what its executions take, and what the load at its tag misses; without
 * cycles all of it is 0. */
#include "check.h"
    .equ TURNS, 1000
    .equ STEP, 4096
    .equ MARGIN, 600    /* retired behind the last turn, or still under way */

    .macro time register, tag, which
    la t5, \tag
    li t4, \which
    ctr_time \register, t5, t4
    .endm

    .macro check_at_least number, register, value
    li t6, \value
    bgeu \register, t6, .Lenough\@
    fail_as \number
.Lenough\@:
    .endm

    .globl _start
_start:
    time s0, miss, 0
    check 1, s0, ALL_ONES
    counter_only miss
    counter_only hit
    counter_only last
    time s0, miss, 0
    check 2, s0, 0
    time s0, miss, 4
    check 3, s0, ALL_ONES
    la s1, data
    li s2, TURNS
    li s3, 0x1000
    csrr s8, instret
loop:
    lui s4, 1
miss:
    ld a0, 0(s1)
    and a0, a0, x0
hit:
    ld a1, 0(sp)
    add s1, s1, s4
    add s1, s1, a0      /* the next load waits for this one */
    addi s2, s2, -1
last:
    bnez s2, loop
    csrr s9, instret
    sub s9, s9, s8
    check 4, s9, 8 * TURNS + 1
    fence.i
    csrr t0, XSTRATA_CSR_strfeat
    andi t0, t0, 16
    bnez t0, timed
    time s0, miss, 0
    check 5, s0, 0
    time s0, miss, 1
    check 6, s0, 0
    time s0, miss, 2
    check 7, s0, 0
    time s0, miss, 3
    check 8, s0, 0
    pass

timed:
    counter_only miss           /* changes nothing */
    time s0, miss, 0
    check_at_least 9, s0, TURNS - MARGIN
    time s1, miss, 1
    time s2, miss, 2
    time s3, miss, 3
    time s4, hit, 0
    time s5, hit, 1
    time s6, hit, 2
    slli t0, s0, 3              /* a miss takes more than 8 cycles, and is waited for */
    bgeu s1, t0, 1f
    fail_as 10
1:  check_same 11, s2, s0
    bgeu s3, s1, 2f             /* for no longer than it takes */
    fail_as 12
2:  bltu s5, s4, 3f             /* hits take less than a cycle each, or little more where retirement is narrow */
    slli t0, s4, 1
    bltu s5, t0, 3f
    fail_as 13
3:  check_at_least 14, s4, TURNS - MARGIN
    srli t0, s4, 3              /* but while the first turn waits for the line */
    bltu s6, t0, 4f
    fail_as 15
4:  time s7, last, 2            /* it is no load */
    check 16, s7, 0
    drop miss
    time s0, miss, 0
    check 17, s0, ALL_ONES
    counter_only miss
    time s0, miss, 1
    check 18, s0, 0
    pass

    .bss
    .balign 4096
data:
    .zero TURNS * STEP
