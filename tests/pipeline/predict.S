/* Eight branches that are never taken. */
#include "loop.inc"
    program
    loop
    .rept 8
    bnez x0, elsewhere
    .endr
    end_loop
elsewhere:
    ebreak
