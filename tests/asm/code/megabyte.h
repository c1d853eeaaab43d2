/* A megabyte of code that a test decodes by running it once: written at run time, since assembling it takes seconds. */
#ifndef TESTS_ASM_CODE_MEGABYTE_H
#define TESTS_ASM_CODE_MEGABYTE_H

    .macro run_megabyte
    la t4, megabyte
    li t5, 1 << 18
    li t6, 0x00000013       /* nop */
1:  sw t6, 0(t4)
    addi t4, t4, 4
    addi t5, t5, -1
    bnez t5, 1b
    li t6, 0x00008067       /* ret */
    sw t6, 0(t4)
    fence.i
    call megabyte
    .endm

    .section .megabyte, "awx", @nobits
    .balign 4096
megabyte:
    .zero (1 << 20) + 4096

    .text
#endif
