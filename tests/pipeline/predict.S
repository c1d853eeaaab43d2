/* Eight branches that are never taken. */
#include "loop.h"
    program
    loop
    .rept 8
    bnez x0, elsewhere
    .endr
    end_loop
elsewhere:
    ebreak
