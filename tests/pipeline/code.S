/* 1022 additions in a row: 4 KB of code, that begin in the middle of a page. */
#include "loop.inc"
    program
    j begin
    .balign 4096
    .space 2048
begin:
    loop
    .rept 1022
    addi t0, x0, 1
    .endr
    end_loop
