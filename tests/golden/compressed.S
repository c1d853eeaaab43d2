/* Golden: 2-byte instructions count like 4-byte ones: 3 + 500 * 9 + 3. */
    .globl _start
_start:
    li s0, 500
    li a1, 0
    mv a2, sp
loop:
    c.addi a1, 1
    c.li a3, 3
    c.add a3, a1
    c.slli a3, 2
    c.sdsp a3, 0(sp)
    c.ldsp a4, 0(sp)
    c.addi s0, -1
    c.j 1f
    c.nop
1:  c.bnez s0, loop
    li a0, 0
    li a7, 94
    ecall
