/* [X2] sit.new without feature bit 1 does nothing: the descriptor may even be unmapped. */
#include "check.h"

    .globl _start
_start:
    la t0, descriptor
    sit_new t0
    sit_new x0
    li t0, -1
    sit_new t0
    pass

    .data
descriptor:
    .dword 0
