/* [N5] A tag is any address: odd, unmapped, data, beyond the address space, the middle of an instruction; it is never counted. */
#include "check.h"

    .macro try number, register
    ctr_new \register, s1
    li s0, 20
    call loop
    ctr_read t0, \register
    check \number, t0, 0
    .endm

    .globl _start
_start:
    li t0, 1
    csrw XSTRATA_CSR_ctrthresh, t0
    la s1, callback
    la s2, loop
    addi s3, s2, 1
    try 1, s3
    addi s3, s2, 2
    try 2, s3
    addi s3, s2, 3
    try 3, s3
    li s3, 0
    try 4, s3
    li s3, 0x1000
    try 5, s3
    li s3, -1
    try 6, s3
    li s3, -2
    try 7, s3
    li s3, 0x4000000000
    try 8, s3
    la s3, word
    try 9, s3
    li s3, -1               /* a counter at -1 that reads 0, not all ones */
    ctr_drop s3
    ctr_read t0, s3
    check 10, t0, ALL_ONES
    pass

callback:
    fail_as 11

    .option norvc
loop:
    addi s0, s0, -1
    bnez s0, loop
    ret

    .data
word:
    .word 0
