/* Threads and processes for the assembly tests. */
#ifndef TESTS_ASM_PROCESS_H
#define TESTS_ASM_PROCESS_H

    .equ SYS_clone, 220
    .equ SYS_execve, 221
    .equ SYS_wait4, 260
    .equ SYS_futex, 98
    .equ SYS_sched_yield, 124
    .equ CLONE_THREAD_FLAGS, 0x10f00    /* VM, FS, FILES, SIGHAND, THREAD */
    .equ CLONE_CLEARTID, 0x200000
    .equ CLONE_VFORK_FLAGS, 0x4100      /* VM, VFORK */

    /* Starts a thread at `entry`; the word `alive` is zeroed and woken when it ends. */
    .macro start_thread entry, stack_end, alive
    la a4, \alive
    li t5, 1
    sw t5, 0(a4)
    li a0, CLONE_THREAD_FLAGS | CLONE_CLEARTID
    la a1, \stack_end
    li a2, 0
    li a3, 0
    li a7, SYS_clone
    ecall
    bnez a0, .Lparent\@
    j \entry
.Lparent\@:
    .endm

    .macro join_thread alive
.Lagain\@:
    la a0, \alive
    lw a2, 0(a0)
    beqz a2, .Lended\@
    li a1, 0                            /* FUTEX_WAIT */
    li a3, 0
    li a7, SYS_futex
    ecall
    j .Lagain\@
.Lended\@:
    .endm

    .macro end_thread
    li a0, 0
    li a7, SYS_exit
    ecall
    .endm

    /* a0 = 0 in the child. */
    .macro fork flags
    li a0, \flags | 17
    li a1, 0
    li a2, 0
    li a3, 0
    li a4, 0
    li a7, SYS_clone
    ecall
    .endm

    /* Waits for the child in a0; \register = its exit status, 0x100 + N if a signal killed it. */
    .macro wait_child register
    addi sp, sp, -16
    mv a1, sp
    li a2, 0
    li a3, 0
    li a7, SYS_wait4
    ecall
    lw \register, 0(sp)
    addi sp, sp, 16
    andi t5, \register, 0x7f
    srli \register, \register, 8
    beqz t5, .Lexited\@
    addi \register, t5, 0x100
.Lexited\@:
    .endm

#endif
