/* Golden: a sleep costs no instruction, and exactly its own time. */
    .option norelax
    .globl _start
_start:
    lla a0, duration
    li a1, 0
    li a7, 101              /* nanosleep */
    ecall
    li a7, 94
    ecall

    .data
    .balign 8
duration:
    .dword 3, 500
