# Shows the initial stack: alignment, argc, the ends of argv and envp; the status has a bit per
# fact.
    .globl _start
_start:
    li s0, 0
    andi t0, sp, 15
    bnez t0, 1f
    ori s0, s0, 1
1:
    ld t1, 0(sp)
    li t2, 3
    bne t1, t2, 2f
    ori s0, s0, 2
2:
    addi t3, sp, 8
    slli t4, t1, 3
    add t3, t3, t4
    ld t5, 0(t3)
    bnez t5, 3f
    ori s0, s0, 4
3:
    addi t3, t3, 8
    ld t5, 0(t3)
    bnez t5, 3b
    addi t3, t3, 8
    # AT_NULL ends the auxiliary vector; AT_PAGESZ stands before it.
4:
    ld t5, 0(t3)
    beqz t5, 6f
    li t6, 6
    bne t5, t6, 5f
    ld t5, 8(t3)
    li t6, 4096
    bne t5, t6, 5f
    ori s0, s0, 8
5:
    addi t3, t3, 16
    j 4b
6:
    # the second argument is "b"
    ld t0, 24(sp)
    lbu t1, 0(t0)
    li t2, 'b'
    bne t1, t2, 7f
    ori s0, s0, 16
7:
    # floating point is usable and its control register starts at zero
    frcsr t0
    bnez t0, 8f
    li t1, 3
    fcvt.d.l ft0, t1
    fadd.d ft0, ft0, ft0
    fcvt.l.d t0, ft0
    li t1, 6
    bne t0, t1, 8f
    ori s0, s0, 32
8:
    mv a0, s0
    li a7, 93
    ecall
