/* Golden: instret and cycle tell how many instructions have retired before the one that reads them. */
    .globl _start
_start:
    rdinstret s0
    nop
    nop
    rdinstret s1
    li t0, 100
1:  addi t0, t0, -1
    bnez t0, 1b
    rdinstret s2
    rdcycle s3
    sub a0, s1, s0
    addi a0, a0, -3
    bnez a0, 2f
    sub a0, s2, s1
    addi a0, a0, -202
    bnez a0, 2f
    sub a0, s3, s2
    addi a0, a0, -1
2:  li a7, 94
    ecall
