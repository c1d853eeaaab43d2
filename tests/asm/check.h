/* What the assembly tests share: checks that end the program with their number, counters, system calls.
 *
 * The macros use t4, t5 and t6, a check nothing but t6.  A program that passes exits with 0, and
 * `fail` with the number in a0. */
#ifndef TESTS_ASM_CHECK_H
#define TESTS_ASM_CHECK_H

#include "isa/rv64/xstrata_asm.h"

    .option norelax
    .equ ALL_ONES, -1
    .equ SYS_exit_group, 94
    .equ SYS_exit, 93

    .text
fail:
    li a7, SYS_exit_group
    ecall

    .macro pass
    li a0, 0
    li a7, SYS_exit_group
    ecall
    .endm

    .macro fail_as number
    li a0, \number
    j fail
    .endm

    /* register == a constant, an address, another register. */
    .macro check number, register, value
    li t6, \value
    beq \register, t6, .Lright\@
    fail_as \number
.Lright\@:
    .endm

    .macro check_address number, register, symbol
    la t6, \symbol
    beq \register, t6, .Lright\@
    fail_as \number
.Lright\@:
    .endm

    .macro check_same number, register, other
    beq \register, \other, .Lright\@
    fail_as \number
.Lright\@:
    .endm

    .macro check_different number, register, other
    bne \register, \other, .Lright\@
    fail_as \number
.Lright\@:
    .endm

    /* The count of the counter at `tag`. */
    .macro check_count number, tag, value
    la t5, \tag
    ctr_read t5, t5
    check \number, t5, \value
    .endm

    .macro counter tag, callback, threshold
    li t4, \threshold
    csrw XSTRATA_CSR_ctrthresh, t4
    la t5, \tag
    la t4, \callback
    ctr_new t5, t4
    .endm

    /* A counter without a callback. */
    .macro counter_only tag
    la t5, \tag
    ctr_new t5, x0
    .endm

    .macro drop tag
    la t5, \tag
    ctr_drop t5
    .endm

    .macro syscall number
    li a7, \number
    ecall
    .endm

    .macro increment symbol
    la t5, \symbol
    ld t4, 0(t5)
    addi t4, t4, 1
    sd t4, 0(t5)
    .endm

#endif
