/* Golden: a faulting instruction does not retire.  Its handler steps over it, ten times.
 *
 *   rt_sigaction 13; 1; 10 * (2 of the loop + 4 of the handler + 2 of the return to it); 3 */
    .option norelax
    .option norvc
    .globl _start
_start:
    addi sp, sp, -32
    lla t0, handler         /* 2 */
    sd t0, 0(sp)
    li t0, 4                /* SA_SIGINFO */
    sd t0, 8(sp)
    sd x0, 16(sp)
    li a0, 11
    mv a1, sp
    li a2, 0
    li a3, 8
    li a7, 134
    ecall                   /* 13 so far */
    li s0, 10
loop:
    ld t0, 0(x0)
    addi s0, s0, -1
    bnez s0, loop
    li a0, 0
    li a7, 94
    ecall
handler:
    ld t0, 176(a2)
    addi t0, t0, 4
    sd t0, 176(a2)
    ret
