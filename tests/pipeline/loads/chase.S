/* Makes a chain through NODES nodes of 64 bytes in an order without a stride, and follows it for STEPS steps.
 * `load` finds the next node; `value` reads from the same node after it. */
    .option norvc
    .option norelax
    .text
    .globl _start, load, value
_start:
    la s0, nodes
    li s1, NODES - 1
    li s2, 1664525
    li s3, 1013904223
    li t0, 0            /* the sequence x = a x + c modulo NODES visits all */
    li t1, NODES
make:
    mul t2, t0, s2
    add t2, t2, s3
    and t2, t2, s1
    slli t3, t0, 6
    add t3, t3, s0
    slli t4, t2, 6
    add t4, t4, s0
    sd t4, 0(t3)
    mv t0, t2
    addi t1, t1, -1
    bnez t1, make
    li t1, STEPS
    mv t0, s0
next:
    mv s4, t0
load:
    ld t0, 0(s4)
value:
    ld t5, 8(s4)
    add t6, t6, t5
    addi t1, t1, -1
    bnez t1, next
    li a7, 93
    li a0, 0
    ecall

    .bss
    .balign 65536
nodes:
    .space NODES * 64
