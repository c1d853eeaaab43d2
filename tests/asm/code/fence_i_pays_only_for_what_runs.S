/* [I2] fence.i costs a comparison per block that is entered afterwards: code that no longer runs costs nothing more. */
#include "check.h"
#include "megabyte.h"

    .globl _start
_start:
#ifdef MEGABYTE
    run_megabyte
#endif
    li s0, FENCES
    fence.i                 /* pays for the megabyte, once */
    beqz s0, 2f
1:  fence.i
    addi s0, s0, -1
    bnez s0, 1b
2:  pass
