/* A timer interrupts 300 loops, each of which reaches the threshold; PAD instructions move all arrivals. */
#define SIGALRM 14
#define LOOPS 300
    .globl _start
    .option norvc
    .option norelax
_start:
    li a0, SIGALRM
    la a1, action
    li a2, 0
    li a3, 8
    li a7, 134 /* rt_sigaction */
    ecall
    bnez a0, wrong
    .rept PAD
    nop
    .endr
    li a0, 0
    la a1, timer
    li a2, 0
    li a7, 103 /* setitimer */
    ecall
    bnez a0, wrong
    li s0, 0
    .rept LOOPS
    li s2, TURNS
    la s3, 1f
    jr s3 /* so that the loop begins a fragment */
1:
    addi s0, s0, 1
    addi s2, s2, -1
    bnez s2, 1b
    .endr
    li a0, 0
    la a1, stop
    li a2, 0
    li a7, 103
    ecall
    li t0, LOOPS * TURNS
    bne s0, t0, wrong
    la t1, taken
    ld t1, 0(t1)
    li t2, 20
    bltu t1, t2, wrong
    li a0, 0
    j leave
wrong:
    li a0, 1
leave:
    li a7, 94
    ecall

/* It takes up to 15 instructions more, in turn: if it always took as long as the interval is, the program would
 * be interrupted at the same instruction for ever. */
handler:
    la t0, taken
    ld t1, 0(t0)
    addi t1, t1, 1
    sd t1, 0(t0)
    .irp bit, 1, 2, 4, 8
    andi t2, t1, \bit
    beqz t2, 2f
    .rept \bit
    nop
    .endr
2:
    .endr
    ret

    .data
    .balign 8
action:
    .dword handler, 0, 0, 0
timer:
    .dword 0, INTERVAL, 0, INTERVAL
stop:
    .dword 0, 0, 0, 0
taken:
    .dword 0
