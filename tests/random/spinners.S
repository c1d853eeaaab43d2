/* Three threads store and count in endless loops; the first thread does its work beside them, in which no
 * resource of the pipeline may be kept from it for ever, and ends them all. */
#define THREADS 3
    .option norelax
    .globl _start
_start:
    li s0, THREADS
    lla s2, stacks
    lla s3, counters
1:  li t0, 1024
    add s2, s2, t0
    addi s3, s3, 8
    li a0, 0x10f00          /* VM, FS, FILES, SIGHAND, THREAD */
    mv a1, s2
    li a2, 0
    li a3, 0
    li a4, 0
    li a7, 220
    ecall
    beqz a0, thread
    addi s0, s0, -1
    bnez s0, 1b

    lla s4, counters
    li s0, 200
2:  ld t0, 8(s4)            /* until all of them run */
    ld t1, 16(s4)
    ld t2, 24(s4)
    beqz t0, 2b
    beqz t1, 2b
    beqz t2, 2b
    lla s5, lock
3:  li t0, 1
    amoswap.w t0, t0, (s5)
    bnez t0, 3b
    ld t1, 0(s4)
    addi t1, t1, 1
    sd t1, 0(s4)
    amoswap.w x0, x0, (s5)
    li t2, 7
    div t1, t1, t2
    addi s0, s0, -1
    bnez s0, 3b
    li a0, 0
    li a7, 94
    ecall

thread:
    li t0, 1
    lla t2, lock
4:  amoadd.d x0, t0, (s3)
    .rept 2
    sd t0, -16(sp)
    .endr
    lw t1, 8(t2)            /* which nobody writes */
    beqz t1, 4b

    .bss
    .balign 16
lock: .zero 16
counters: .zero 64
stacks: .zero 1024 * (THREADS + 1)
