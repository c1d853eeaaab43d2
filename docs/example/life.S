/* The program of the worked example in docs/architecture.md: a loop with an if, a call and a return.
 *
 * It searches for a negative value, adds up every other value on the way, and
 * runs off the end of its memory, because there is none.  It has as many values
 * before it as arguments, so the same code is stopped by the same instruction after
 * as many turns as wanted; and then the translator shows its cache. */
    .globl _start
    .text
_start:
    la t0, values_end
    ld t1, 0(sp)        /* argc: the program's name, and the arguments */
    addi t1, t1, -1
    slli t1, t1, 3
    sub t0, t0, t1
loop:
    ld t2, 0(t0)        /* behind the last value: a segmentation fault */
    addi t0, t0, 8
    xori s1, s1, 1
    beqz s1, next
    jal add
next:
    bgez t2, loop
    li a7, 93           /* exit: not reached */
    ecall
add:
    add s0, s0, t2
    ret

    .data
    .balign 4096
    .zero 4096 - 16 * 8
    .dword 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
values_end:
