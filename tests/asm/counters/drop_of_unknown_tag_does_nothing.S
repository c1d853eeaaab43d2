/* [D1] ctr.drop of a tag without a counter does nothing. */
#include "check.h"

    .globl _start
_start:
    drop b
    counter_only a
    drop b
    drop a
    drop a
    check_count 1, a, ALL_ONES
    counter_only b
    call a
    check_count 2, b, 1
    check_count 3, a, ALL_ONES
    pass

a:  nop
b:  ret
