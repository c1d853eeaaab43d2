/* Forks; both then count for a while, and the parent waits for its child. */
    .option norvc
    .option norelax
    .text
    .globl _start
_start:
    li a7, 220          /* clone */
    li a0, 17           /* SIGCHLD */
    li a1, 0
    li a2, 0
    li a3, 0
    li a4, 0
    ecall
    mv s0, a0
    li t0, 20000
count:
    addi t0, t0, -1
    bnez t0, count
    beqz s0, leave
    li a7, 260          /* wait4 */
    mv a0, s0
    li a1, 0
    li a2, 0
    li a3, 0
    ecall
leave:
    li a7, 93
    li a0, 0
    ecall
