/* [I5] A 4-byte patch costs the host the same with a megabyte of decoded code elsewhere as with none.
 *
 * Shown by the blocks that the engine looked at and compared, with PATCHES patches and with none. */
#include "check.h"
#include "megabyte.h"

    .globl _start
_start:
#ifdef MEGABYTE
    run_megabyte
#endif
    li s2, 4
    la s1, patched
    li s0, PATCHES
    call patched
    beqz s0, 2f
1:  andi t1, s0, 0x7ff
    slli t0, t1, 20
    addi t0, t0, 0x513      /* li a0, s0 % 2048 */
    sw t0, 0(s1)
    ic_sync s1, s2, 1
    call patched
    check_same 1, a0, t1
    addi s0, s0, -1
    bnez s0, 1b
2:  pass

    .section .patched, "awx"
    .option norvc
    .balign 4096
patched:
    li a0, 0
    ret
