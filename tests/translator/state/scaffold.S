/* Runs a body of code with known registers and memory, and has a timer interrupt it; tells what the handler saw.
 *
 *   scaffold WARM DELAY COUNT MODE SECOND     each 9 digits, so that all runs execute the same
 *
 * WARM runs are not interrupted.  Then follow COUNT runs, each interrupted DELAY nanoseconds after
 * its timer was set, which the next run does one nanosecond later; on the machine that is one
 * instruction.  MODE 1: DELAY is a time, not a delay.  MODE 2: the timer goes off every DELAY
 * nanoseconds, and there are as many runs as are needed for COUNT signals.  SECOND is the time for
 * another timer, with another signal, or 0.
 *
 * Standard output has records of 8 bytes for the kind and
 *   H  a handler's context in the body: pc, x1 to x31, f0 to f31, fcsr, and the body's memory
 *   P  only the pc, outside the body
 *   E  the same as H at the body's end
 * A run that ends in another state than the first one did makes the status 3. */
#define SIGUSR1 10
#define SIGUSR2 12
#define SA_SIGINFO 4
#define AREA_BYTES 256
#define STATE_WORDS 65 /* 32, 32 floating-point, fcsr */
#define FRAME_X 176

#define MODE_ABSOLUTE 1
#define MODE_PERIODIC 2

    .option norelax
    .globl _start, body_end
_start:
    ld t0, 16(sp)
    call parse
    la t1, warm
    sd a0, 0(t1)
    ld t0, 24(sp)
    call parse
    la t1, delay
    sd a0, 0(t1)
    ld t0, 32(sp)
    call parse
    la t1, count
    sd a0, 0(t1)
    ld t0, 40(sp)
    call parse
    la t1, mode
    sd a0, 0(t1)
    ld t0, 48(sp)
    call parse
    mv s0, a0
    la sp, stack_top
    li a0, SIGUSR2
    la a2, second_timer
    call make_timer
    mv t0, s0
    la t1, second_timer
    li a1, MODE_ABSOLUTE
    call set
    li a0, SIGUSR1
    la a2, timer
    call make_timer
    ld t0, mode
    li t1, MODE_PERIODIC
    bne t0, t1, next
    ld t0, delay
    la t1, setting
    sd t0, 8(t1)
    call set_timer

next:
    la t0, initial_area
    la t1, area
    li t2, AREA_BYTES
1:
    ld t3, 0(t0)
    sd t3, 0(t1)
    addi t0, t0, 8
    addi t1, t1, 8
    addi t2, t2, -8
    bnez t2, 1b
    la t1, timed
    sd zero, 0(t1)
    ld t0, mode
    li t1, MODE_PERIODIC
    bne t0, t1, 1f
    ld t0, taken
    ld t1, count
    bltu t0, t1, enter
    j done
1:
    ld t0, warm
    beqz t0, 2f
    addi t0, t0, -1
    la t1, warm
    sd t0, 0(t1)
    j enter
2:
    ld t0, count
    beqz t0, done
    addi t0, t0, -1
    la t1, count
    sd t0, 0(t1)
    la t1, timed
    li t0, 1
    sd t0, 0(t1)
    ld t0, delay
    call set_timer
    ld t0, delay
    addi t0, t0, 1
    la t1, delay
    sd t0, 0(t1)
enter:
    la x31, initial_floats
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, \
        24, 25, 26, 27, 28, 29, 30, 31
    fld f\n, (\n * 8)(x31)
    .endr
    fscsr zero
    la x31, initial
    ld x1, 8(x31)
    .irp n, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, \
        26, 27, 28, 29, 30, 31
    ld x\n, (\n * 8)(x31)
    .endr
    j body

body_end:
    addi sp, sp, -STATE_WORDS * 8 - 8
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, \
        25, 26, 27, 28, 29, 30, 31
    sd x\n, (\n * 8)(sp)
    .endr
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, \
        24, 25, 26, 27, 28, 29, 30, 31
    fsd f\n, (256 + \n * 8)(sp)
    .endr
    la t0, body_end
    sd t0, 0(sp)
    frcsr t0
    sd t0, 512(sp)
    ld t0, timed
    beqz t0, 3f
    la t0, setting
    sd zero, 8(t0)
    li t0, 0
    call set_timer_to
    la a0, kind_end
    mv a1, sp
    call write_state
3:
    la t0, reference
    ld t1, 0(t0)
    snez t1, t1
    mv t2, sp
    li t3, STATE_WORDS
4:
    ld t4, 0(t2)
    beqz t1, 5f
    ld t5, 0(t0)
    bne t4, t5, differs
5:
    sd t4, 0(t0)
    addi t0, t0, 8
    addi t2, t2, 8
    addi t3, t3, -1
    bnez t3, 4b
    addi sp, sp, STATE_WORDS * 8 + 8
    j next

differs:
    li a0, 3
    j leave
fail:
    li a0, 1
    j leave
done:
    li a0, 0
leave:
    li a7, 94 /* exit_group */
    ecall

/* A timer for the signal a0, whose number goes to a2. */
make_timer:
    mv t0, a0
    mv t1, a2
    la a1, action
    li a2, 0
    li a3, 8
    li a7, 134 /* rt_sigaction */
    ecall
    bnez a0, fail
    la a1, event
    sw t0, 8(a1)
    li a0, 1 /* CLOCK_MONOTONIC */
    mv a2, t1
    li a7, 107 /* timer_create */
    ecall
    bnez a0, fail
    ret

/* The timer goes off at t0, or after it. */
set_timer:
    ld a1, mode
    andi a1, a1, MODE_ABSOLUTE
    j 1f
set_timer_to:
    li a1, 0
1:
    la t1, timer
set:
    la a2, setting
    sd t0, 24(a2)
    ld a0, 0(t1)
    li a3, 0
    li a7, 110 /* timer_settime */
    ecall
    bnez a0, fail
    ret

/* 9 digits at t0 */
parse:
    li a0, 0
    li t1, 9
    li t3, 10
1:
    lbu t2, 0(t0)
    addi t2, t2, -'0'
    mul a0, a0, t3
    add a0, a0, t2
    addi t0, t0, 1
    addi t1, t1, -1
    bnez t1, 1b
    ret

handler:
    la t1, taken
    ld t0, 0(t1)
    addi t0, t0, 1
    sd t0, 0(t1)
    ld t0, FRAME_X(a2)
    la t1, body
    bltu t0, t1, 1f
    la t1, body_limit
    bgeu t0, t1, 1f
    la a0, kind_handler
    addi a1, a2, FRAME_X
    j write_state
1:
    addi sp, sp, -16
    ld t1, kind_place
    sd t1, 0(sp)
    sd t0, 8(sp)
    li a0, 1
    mv a1, sp
    li a2, 16
    li a7, 64 /* write */
    ecall
    addi sp, sp, 16
    ret

/* The kind at a0 and the state at a1. */
write_state:
    addi sp, sp, -48
    sd a0, 0(sp)
    li t0, 8
    sd t0, 8(sp)
    sd a1, 16(sp)
    li t0, STATE_WORDS * 8
    sd t0, 24(sp)
    la t0, area
    sd t0, 32(sp)
    li t0, AREA_BYTES
    sd t0, 40(sp)
    li a0, 1
    mv a1, sp
    li a2, 3
    li a7, 66 /* writev */
    ecall
    addi sp, sp, 48
    ret

    .data
    .balign 8
action:
    .dword handler, SA_SIGINFO, 0
event:
    .dword 0
    .word 0, 0
    .fill 6, 8, 0
timer:
    .dword 0
second_timer:
    .dword 0
setting:
    .dword 0, 0, 0, 0
kind_handler:
    .ascii "H\0\0\0\0\0\0\0"
kind_place:
    .ascii "P\0\0\0\0\0\0\0"
kind_end:
    .ascii "E\0\0\0\0\0\0\0"
warm:
    .dword 0
delay:
    .dword 0
count:
    .dword 0
mode:
    .dword 0
timed:
    .dword 0
taken:
    .dword 0
reference:
    .fill STATE_WORDS, 8, 0

    .bss
    .balign 16
    .space 65536
stack_top:
    .space 16
    .globl area
area:
    .space AREA_BYTES

    .section .note.GNU-stack, "", @progbits
