/* Golden: a program that a fault kills has retired what stood before the fault. */
    .globl _start
_start:
    nop
    nop
    nop
    ld t0, 0(x0)
    nop
