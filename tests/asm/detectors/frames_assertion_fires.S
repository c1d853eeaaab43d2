/* A promoted branch that goes the other way fires its assertion, and the frame is evicted.  It is built anew when the
 * branch has been promoted again; since meanwhile every frame ended at that branch, it begins behind it then.
 *
 * 200 turns.  The frame is a turn; it is built in the 33rd one and completes in the 34th to the 100th. */
#include "check.h"

    .globl _start
_start:
    li s0, 200
    li s1, 100
loop:
    beq s0, s1, rare                    /* in the 101st turn */
next:
    addi s0, s0, -1
    bnez s0, loop
    pass
rare:
    addi s2, s2, 1
    j next
