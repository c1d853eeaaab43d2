/* Loops to be counted, for the tests of counters. */
#ifndef FRAGMENT_LOOPS_H
#define FRAGMENT_LOOPS_H

#include "fragment_rig.h"

/* A loop at `start` of so many turns; returns its head. */
static inline guest_addr write_loop(guest_addr start, unsigned turns)
{
    go(start);
    put(TOY_CONST32, R4, 0, turns);
    const guest_addr head = put(TOY_INC, R3, 0, 0);
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH8, IF_OTHER, head);
    put(TOY_HALT, 0, 0, 0);
    return head;
}

/* The first turn runs in the fragment that falls into the loop, and the second is the head's first, when the
 * exit to it is taken while it is not built yet. */
#define UNCOUNTED 2

#endif
