/* Golden: calls, returns, an indirect jump and a recursion.
 *
 *   _start     4 + 100 * 9 + 2 + fib(10) + 3
 *   fib(n)     3 if n < 2, else 16 + fib(n - 1) + fib(n - 2): 88 inner nodes and 89 leaves */
    .option norelax
    .globl _start
_start:
    lla s2, f               /* 2 */
    li s0, 100
    li s1, 0
1:  jal ra, 2f
    addi s0, s0, -1
    bnez s0, 1b
    li a0, 10
    jal ra, fib
    addi a0, a0, -55
    li a7, 94
    ecall
2:  jr s2
f:  mv t0, ra
    jal ra, g
    jr t0
g:  addi s1, s1, 1
    ret

fib:
    slti t0, a0, 2
    bnez t0, 1f
    addi sp, sp, -32
    sd ra, 0(sp)
    sd a0, 8(sp)
    addi a0, a0, -1
    jal ra, fib
    sd a0, 16(sp)
    ld a0, 8(sp)
    addi a0, a0, -2
    jal ra, fib
    ld t0, 16(sp)
    add a0, a0, t0
    ld ra, 0(sp)
    addi sp, sp, 32
1:  ret
