/* Goes over STEPS of NODES pieces of memory, no two of them near each other, and adds up what they hold.
 *
 * LIST: each holds the address of the next; LAST is that of the one behind the last, RING: the first.  Else their addresses are
 * computed.  Between two of them it does nothing WORK times.  It ends with STATUS. */
#define STRIDE 4160
#ifndef STATUS
#define STATUS 0
#endif

    .option norvc
    .option norelax
    .text
    .globl _start
_start:
    la s0, nodes
    li s1, NODES
    li s2, STRIDE
    li t0, 0
build: /* the i-th of the list is the 7i-th in memory */
    li t3, 7
    mul t1, t0, t3
    andi t1, t1, NODES - 1
    mul t1, t1, s2
    add t1, t1, s0
    addi t0, t0, 1
    mul t2, t0, t3
    andi t2, t2, NODES - 1
    mul t2, t2, s2
    add t2, t2, s0
    bne t0, s1, 1f
#ifdef RING
    la t2, nodes
#else
    li t2, LAST
#endif
1:  sd t2, 0(t1)
    bne t0, s1, build

    li s3, 0
    mv t0, s0
    li t4, STEPS
    .globl trigger, target
trigger:
    mv t1, t0
#ifdef LIST
target:
    ld t0, 0(t0)
#else
    add t0, t0, s2
target:
    ld t1, 0(t1)
#endif
    xor s3, s3, t1
    add s3, s3, t1
    li t5, WORK
2:  addi t5, t5, -1
    bgtz t5, 2b
    addi t4, t4, -1
    bnez t4, trigger

    la t0, sum
    sd s3, 0(t0)
    li a7, 94
    li a0, STATUS
    ecall

    .bss
    .balign 64
sum:
    .space 64
nodes:
    .space NODES * STRIDE + 64
