/* Golden: three threads by raw clone, spinning side by side and joined by futex.
 *
 * The first: 11 for each clone, 9 for the wait, 4 for each of two joins, 9.  The others: 1 of the
 * clone, 5, 3 * 50000, 3.  The switches between them come at exact instruction counts, the same in
 * every run and on every host. */
    .option norelax
    .option norvc
    .macro start stack, alive
    li a0, 0x310f00         /* VM, FS, FILES, SIGHAND, THREAD, PARENT_SETTID, CHILD_CLEARTID */
    lla a1, \stack
    lla a2, \alive
    li a3, 0
    mv a4, a2
    li a7, 220
    ecall
    beqz a0, thread
    .endm
    .macro join alive
1:  lla a0, \alive
    lw a2, 0(a0)
    beqz a2, 2f
    li a1, 0                /* FUTEX_WAIT */
    li a3, 0
    li a7, 98
    ecall
    j 1b
2:
    .endm

    .globl _start
_start:
    start stack_one, alive_one
    start stack_two, alive_two
    join alive_one
    join alive_two
    lla t0, sum
    ld a0, 0(t0)
    li t0, 100000
    sub a0, a0, t0
    snez a0, a0
    li a7, 94
    ecall

thread:
    lla t1, sum
    li t0, 1
    li s0, 50000
loop:
    amoadd.d x0, t0, (t1)
    addi s0, s0, -1
    bnez s0, loop
    li a0, 0
    li a7, 93
    ecall

    .bss
    .balign 16
    .zero 256
stack_one:
    .zero 256
stack_two:
sum:
    .dword 0
alive_one:
    .word 0
alive_two:
    .word 0
