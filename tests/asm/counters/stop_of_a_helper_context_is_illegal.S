/* [X3] ctx.stop outside a helper context is an illegal instruction. */
#include "check.h"
#include "signal.h"

    .globl _start
_start:
    install SIGILL, handler
    ctx_stop
    check_calls 1, illegal, 1
    pass

    stepping_handler handler, illegal

    .bss
    .balign 8
illegal:
    .dword 0
