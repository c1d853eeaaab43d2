/* [E1] A field that an instruction does not use, another funct3 and a funct7 above 10 make an illegal instruction. */
#include "check.h"
#include "signal.h"

    .globl _start
_start:
    install SIGILL, handler
    la t0, tag
    .insn r 0x0b, 0, 0, x5, t0, t1      /* ctr.new with rd */
    .insn r 0x0b, 0, 1, t2, t0, x1      /* ctr.read with rs2 */
    .insn r 0x0b, 0, 2, x0, t0, x1      /* ctr.drop with rs2 */
    .insn r 0x0b, 0, 2, x1, t0, x0      /* ctr.drop with rd */
    .insn r 0x0b, 0, 3, x1, x0, x0      /* ctr.ret with rd */
    .insn r 0x0b, 0, 3, x0, x1, x0      /* ctr.ret with rs1 */
    .insn r 0x0b, 0, 3, x0, x0, x1      /* ctr.ret with rs2 */
    .insn r 0x0b, 0, 4, x1, t0, x0      /* sit.new with rd */
    .insn r 0x0b, 0, 4, x0, t0, x1      /* sit.new with rs2 */
    .insn r 0x0b, 0, 6, x1, x0, x0      /* ctx.stop with rd */
    check_calls 1, illegal, 10
    .insn r 0x0b, 1, 0, x0, t0, t1
    .insn r 0x0b, 7, 7, x0, t0, t1
    .insn r 0x0b, 0, 11, x0, t0, t1
    .insn r 0x0b, 0, 127, x0, t0, t1
    check_calls 2, illegal, 14
    check_count 3, tag, ALL_ONES
    .insn r 0x0b, 0, 0, x0, t0, x0      /* ctr.new */
    check_calls 4, illegal, 14
    check_count 5, tag, 0
    pass

tag:
    nop

    stepping_handler handler, illegal

    .bss
    .balign 8
illegal:
    .dword 0
