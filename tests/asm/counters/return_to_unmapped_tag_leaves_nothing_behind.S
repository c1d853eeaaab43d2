/* [B3] [C8] If the tagged instruction can no longer be fetched after ctr.ret, its next execution is counted again. */
#include "check.h"
#include "signal.h"

    .equ SYS_mprotect, 226

    .globl _start
_start:
    install SIGSEGV, repair
    counter tag, callback, 1
    call tag
    check 1, s0, 1
    check_calls 2, calls, 1
    check_count 3, tag, 2

    /* The same, but the handler goes elsewhere; much later the tag runs. */
    counter tag2, callback2, 1
    la ra, 1f
    j tag2
1:  fail_as 4
escape:
    call tag2
    check_count 5, tag2, 2
    call tag2
    check_count 6, tag2, 3
    pass

callback:
callback2:
    la a0, page
    li a1, 4096
    li a2, 1                /* PROT_READ */
    syscall SYS_mprotect
    ctr_ret

repair:
    mv s11, a2
    la a0, page
    li a1, 4096
    li a2, 5                /* PROT_READ | PROT_EXEC */
    syscall SYS_mprotect
    increment calls
    ld t0, UC_PC(s11)
    la t1, tag2
    bne t0, t1, 1f
    la t1, escape
    sd t1, UC_PC(s11)
1:  ret

    .balign 4096
page:
tag:
    addi s0, s0, 1
    ret
tag2:
    addi s0, s0, 1
    ret
    .balign 4096

    .bss
    .balign 8
calls:
    .dword 0
