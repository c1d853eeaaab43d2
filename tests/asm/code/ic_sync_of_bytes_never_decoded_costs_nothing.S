/* [I5] ic.sync of bytes that were never decoded looks at no block, however much other code is decoded. */
#include "check.h"
#include "megabyte.h"

    .globl _start
_start:
    run_megabyte
    la s1, data
    li s2, 4096
    li s0, SYNCS
    beqz s0, 2f
1:  sd s0, 0(s1)
    ic_sync s1, s2, 1
    addi s0, s0, -1
    bnez s0, 1b
2:  pass

    .section .patched, "awx"
    .balign 4096
data:
    .zero 8192
