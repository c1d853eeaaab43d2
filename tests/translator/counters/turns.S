/* One loop of TURNS turns, to measure what a turn costs; CALLED: with a call in it, so that it is no fragment's only one. */
    .globl _start
_start:
    li s0, TURNS
loop:
#ifdef CALLED
    call function
#endif
    addi s0, s0, -1
    bnez s0, loop
    li a0, 0
    li a7, 94
    ecall
#ifdef CALLED
function:
    ret
#endif
