/* 64 accesses to 64 lines that do not wait for one another. */
#include "loop.inc"
    program
    la t0, lines
    addi t1, t0, 1024
    addi t1, t1, 1024
    loop
    .set place, 0
    .rept 32
    OP t2, place(t0)
    .set place, place + 64
    .endr
    .set place, 0
    .rept 32
    OP t2, place(t1)
    .set place, place + 64
    .endr
    end_loop

    .bss
    .balign 4096
lines:
    .space 4096
