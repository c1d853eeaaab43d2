/* [I3] The range need not be aligned or mapped, may be empty, and may end beyond the address space; it never faults. */
#include "check.h"

    .macro patch value
    li t0, 0x00000513 + (\value << 20)
    la t1, function
    sw t0, 0(t1)
    .endm
    .macro try number
    call function
    check \number, a0, \number
    .endm

    .globl _start
_start:
    call function
    la s0, function
    ic_sync s0, x0, 0
    ic_sync x0, x0, 0
    li s1, -1
    ic_sync s1, x0, 0
    ic_sync s1, s1, 0
    li t0, 0x4000000000
    ic_sync t0, s1, 0
    li t0, 4096
    ic_sync x0, t0, 0

    patch 2                 /* everything from the function on */
    ic_sync s0, s1, 0
    try 2
    patch 3                 /* everything */
    ic_sync x0, s1, 0
    try 3
    patch 4                 /* the last byte only; from its last byte on */
    addi t0, s0, 3
    li t1, 1
    ic_sync t0, t1, 0
    try 4
    patch 5
    addi t0, s0, 3
    ic_sync t0, s1, 0
    try 5
    patch 6                 /* a range that ends at 2^64 exactly, and one behind it */
    neg t1, s0
    ic_sync s0, t1, 0
    try 6
    patch 7
    neg t1, s0
    addi t1, t1, 1
    ic_sync s0, t1, 0
    try 7
    patch 8                 /* a gigabyte around it */
    li t1, 1 << 30
    ic_sync x0, t1, 0
    try 8
    pass

    .section .patched, "awx"
    .option norvc
function:
    li a0, 1
    ret
