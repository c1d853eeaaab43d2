/* A loop that ends demotes its branch and evicts its frame; the next time that the loop is executed the same frame is
 * built again, and found again.
 *
 * Twice 100 turns.  A frame is two turns; it is built in the 33rd and 34th ones. */
#include "check.h"

    .globl _start
_start:
    li s1, 2
again:
    li s0, 100
loop:
    addi s0, s0, -1
    bnez s0, loop
    addi s1, s1, -1
    bnez s1, again
    pass
