/* Eight threads by raw clone, each with loads, stores, divisions, floating point, calls and branches that
 * nobody predicts; ends with status 0 if their sums are right. */
#define THREADS 8
#define ROUNDS 150
    .option norelax
    .globl _start
_start:
    li s0, THREADS
    lla s1, alive
    lla s2, stacks
1:  li t0, 1024
    add s2, s2, t0
    li a0, 0x310f00         /* VM, FS, FILES, SIGHAND, THREAD, PARENT_SETTID, CHILD_CLEARTID */
    mv a1, s2
    mv a2, s1
    li a3, 0
    mv a4, s1
    li a7, 220
    ecall
    beqz a0, thread
    addi s1, s1, 4
    addi s0, s0, -1
    bnez s0, 1b

    li s0, THREADS
    lla s1, alive
2:  lw a2, 0(s1)
    beqz a2, 3f
    mv a0, s1
    li a1, 0                /* FUTEX_WAIT */
    li a3, 0
    li a7, 98
    ecall
    j 2b
3:  addi s1, s1, 4
    addi s0, s0, -1
    bnez s0, 2b
    lla t0, sum
    ld a0, 0(t0)
    li t0, THREADS * ROUNDS * 10
    sub a0, a0, t0
    snez a0, a0
    li a7, 94
    ecall

thread:
    li s0, ROUNDS
    lla s3, sum
    lla s4, area
    mv s5, s2               /* each its own numbers */
    li s6, 6364136223846793005
    li s7, 3
round:
    mul s5, s5, s6
    addi s5, s5, 1001
    srli t0, s5, 48
    slli t1, t0, 3
    add t1, t1, s4
    ld t2, 0(t1)            /* anywhere in 512 KiB */
    divu t3, s5, s7
    sb t3, -64(sp)
    lhu t4, -64(sp)         /* wider than what was stored */
    fcvt.d.l fa0, t4
    fdiv.d fa1, fa0, fa0
    fmadd.d fa2, fa0, fa1, fa0
    fsd fa2, -32(sp)
    andi t5, s5, 0x100
    beqz t5, 4f
    sd t2, 0(t1)
4:  jal ra, leaf
    amoadd.d x0, a0, (s3)
    addi s0, s0, -1
    bnez s0, round
    csrr t0, instret
    li a0, 0
    li a7, 93
    ecall
leaf:
    li a0, 10
    ld t6, -32(sp)
    fence
    ret

    .bss
    .balign 16
sum: .zero 16
alive: .zero 4 * THREADS
    .balign 16
stacks: .zero 1024 * (THREADS + 1)
area: .zero 1 << 19
