/* [B7] A callback that still waits when the program ends was not taken, and statistics do not say so. */
#include "check.h"

    .globl _start
_start:
    counter tag, callback, 1
    counter inner, never, 1
tag:
    fail_as 1
callback:
inner:
    nop
    pass
never:
    fail_as 2
