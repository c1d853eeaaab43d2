/* Reads LINES lines of 64 bytes, STRIDE apart, PASSES times; `load` is the only load.  If AHEAD is not 0,
 * it asks each time for the line so many bytes further, with prefetch.r of Zicbop. */
    .option norvc
    .option norelax
    .text
    .globl _start, load
_start:
    li s0, PASSES
again:
    la t0, array
    li t1, LINES
    li t3, STRIDE
    li t5, AHEAD
next:
#if AHEAD
    add t6, t0, t5
    .insn i 0x13, 6, x0, t6, 1
#endif
load:
    ld t2, 0(t0)
    .rept WORK
    mul t4, t4, t2
    .endr
    add t0, t0, t3
    addi t1, t1, -1
    bnez t1, next
    addi s0, s0, -1
    bnez s0, again
    li a7, 93
    li a0, 0
    ecall

    .bss
    .balign 65536
array:
    .space LINES * STRIDE
