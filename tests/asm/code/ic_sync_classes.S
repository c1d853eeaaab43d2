/* [I4] [E2] ic.sync has 32 classes, which change nothing that a program sees, and writes no register. */
#include "check.h"

    .globl _start
_start:
    la s2, function
    li s3, 4
    .irp class, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    addi s1, s1, 1
    slli t2, s1, 20
    addi t2, t2, 0x513      /* li a0, s1 */
    sw t2, 0(s2)
    mv s4, x\class
    ic_sync s2, s3, \class
    check_same 1, s4, x\class
    call function
    check_same 2, a0, s1
    .endr
    pass

    .section .patched, "awx"
    .option norvc
function:
    li a0, 0
    ret
