/* Where a thread begins and ends: without a stack, or with all registers the program's. */
#include "translator/rv64/registers.h"

#include <asm/unistd.h>

#define CALL_ARGUMENT(number) (8 + (number) * 8)

    .text

/* dispatch goes here instead of a fragment: the registers that it does not put
 * away are the program's, and the new thread gets them from the context. */
    .globl target_clone
    .hidden target_clone
    .type target_clone, @function
target_clone:
    kept_registers sd
    keep_gp
    ld sp, CONTEXT_STACK(tp)
    mv a0, tp
    call thread_clone
    mv a0, tp
    tail target_resume
    .size target_clone, . - target_clone

/* int64_t target_clone_call(const struct call *): the kernel's clone, whose child
 * begins in thread_begin with its context as thread pointer and its own stack. */
    .globl target_clone_call
    .hidden target_clone_call
    .type target_clone_call, @function
target_clone_call:
    mv t1, a0
    ld a0, CALL_ARGUMENT(0)(t1)
    ld a1, CALL_ARGUMENT(1)(t1)
    ld a2, CALL_ARGUMENT(2)(t1)
    ld a3, CALL_ARGUMENT(3)(t1)
    ld a4, CALL_ARGUMENT(4)(t1)
    li a7, __NR_clone
    ecall
    beqz a0, 1f
    ret
1:  mv a0, tp
    tail thread_begin
    .size target_clone_call, . - target_clone_call

/* target_exit_thread(block, bytes, status): the stack goes before the thread does. */
    .globl target_exit_thread
    .hidden target_exit_thread
    .type target_exit_thread, @function
target_exit_thread:
    mv s0, a2
    li a7, __NR_munmap
    ecall
1:  mv a0, s0
    li a7, __NR_exit
    ecall
    j 1b
    .size target_exit_thread, . - target_exit_thread

    .section .note.GNU-stack, "", @progbits
