/* Direct branches and the target buffer.  With ONCE, ITERATIONS copies of it that run once each, so that all of
 * its branches are new; otherwise a loop of JUMPS jumps, SPACE bytes apart, and its own branch as far behind. */
#include "loop.inc"
    program
#ifdef ONCE
    .rept ITERATIONS
    ONCE
    .endr
    li a7, 94
    li a0, 0
    ecall
#else
    .macro go_on
    j 1f
    .space SPACE - 4
1:
    .endm

    loop
    .rept JUMPS - 1
    go_on
    .endr
    j 1f
    .space SPACE - 8
1:
    end_loop
#endif
