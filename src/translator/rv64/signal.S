/* Signals where C does not reach: all registers at once, and calls that a signal must be able to stop. */
#include "translator/rv64/registers.h"

#define FLOATS_FCSR 256
#define CALL_NUMBER 0
#define CALL_ARGUMENT(number) (8 + (number) * 8)
#define RESTART (-512) /* SIGNAL_RESTART */

    .option arch, +f, +d
    .text

    .macro load_call from
    ld a7, CALL_NUMBER(\from)
    ld a0, CALL_ARGUMENT(0)(\from)
    ld a1, CALL_ARGUMENT(1)(\from)
    ld a2, CALL_ARGUMENT(2)(\from)
    ld a3, CALL_ARGUMENT(3)(\from)
    ld a4, CALL_ARGUMENT(4)(\from)
    ld a5, CALL_ARGUMENT(5)(\from)
    .endm

/* int64_t target_program_call(const struct call *): a signal that arrives up to
 * the ecall, or that the kernel wants to restart it for, goes on at
 * target_call_stopped. */
    .globl target_program_call, target_call_done, target_call_stopped
    .hidden target_program_call, target_call_done, target_call_stopped
    .type target_program_call, @function
target_program_call:
    mv t1, a0
    load_call t1
    lw t0, CONTEXT_PENDING(tp)
    bnez t0, target_call_stopped
    ecall
target_call_done:
    ret
target_call_stopped:
    li a0, RESTART
    ret
    .size target_program_call, . - target_program_call

/* int64_t target_vfork(const struct call *, uint64_t *kept): the kernel keeps all
 * other registers of the one that returns later. */
    .globl target_vfork
    .hidden target_vfork
    .type target_vfork, @function
target_vfork:
    mv t1, a0
    mv t2, a1
    ld t3, CONTEXT_STACK(tp)
    mv t4, sp
1:
    ld t5, 0(t4)
    sd t5, 0(a1)
    addi t4, t4, 8
    addi a1, a1, 8
    bltu t4, t3, 1b
    load_call t1
    ecall
    beqz a0, 3f
    mv t4, sp
2:
    ld t5, 0(t2)
    sd t5, 0(t4)
    addi t4, t4, 8
    addi t2, t2, 8
    bltu t4, t3, 2b
3:
    ret
    .size target_vfork, . - target_vfork

/* The code that a handler returns to; unwinders know it by these two words. */
    .globl target_signal_return
    .hidden target_signal_return
    .balign 8
    .option push
    .option norvc
target_signal_return:
    li a7, 139
    ecall
    .option pop

/* A signal waits, and the program is about to go on: what the translator has not
 * put away itself follows. */
    .globl target_deliver
    .hidden target_deliver
target_deliver:
    kept_registers sd
    keep_gp
    ld a0, CONTEXT_SIGNALS(tp)
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, \
        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    fsd f\number, (\number * 8)(a0)
    .endr
    frcsr a1
    sw a1, FLOATS_FCSR(a0)
    ld sp, CONTEXT_STACK(tp)
    mv a0, tp
    call signal_deliver_waiting
    mv a0, tp

    .globl target_resume
    .hidden target_resume
    .type target_resume, @function
target_resume:
    mv tp, a0
    ld sp, CONTEXT_STACK(tp)
    call signal_resume
    mv a1, a0
    mv a0, tp
    j target_enter

    .globl load_floats
    .hidden load_floats
    .type load_floats, @function
load_floats:
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, \
        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    fld f\number, (\number * 8)(a0)
    .endr
    lw a1, FLOATS_FCSR(a0)
    fscsr a1
    ret
    .size load_floats, . - load_floats

    .section .note.GNU-stack, "", @progbits
