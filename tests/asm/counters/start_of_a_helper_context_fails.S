/* [X1] [E3] ctx.start writes all ones: no helper context is ever free in the functional engine. */
#include "check.h"

    .globl _start
_start:
    la s0, elsewhere
    li s1, 7
    ctx_start s2, s0, s1
    check 1, s2, ALL_ONES
    ctx_start x0, s0, s1
    ctx_start s0, s0, s0
    check 2, s0, ALL_ONES
    check 3, s1, 7
    check 4, s3, 0
    pass

elsewhere:
    li s3, 1
    ctx_stop
