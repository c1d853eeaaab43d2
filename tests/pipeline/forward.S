/* Ten times: a number in memory grows by one; or, with FROM and TO, it is read here and written there. */
#include "loop.inc"
#ifndef FROM
#define FROM -16
#endif
#ifndef TO
#define TO -16
#endif
    program
    loop
    .rept 10
    ld t0, FROM(sp)
    addi t0, t0, 1
    sd t0, TO(sp)
    .endr
    end_loop
