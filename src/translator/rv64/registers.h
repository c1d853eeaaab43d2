/* The places of the program's registers in the context, for assembly: each list once, to put away or to take back. */
#ifndef STRATA_TRANSLATOR_RV64_REGISTERS_H
#define STRATA_TRANSLATOR_RV64_REGISTERS_H

#include "translator/rv64/context_offsets.h"

/* clang-format off */

/* What a call may change, but a0 to a2, which often are there already: \op is sd or ld. */
    .macro changed_registers_low op
    \op ra, CONTEXT_X(1)(tp)
    \op sp, CONTEXT_X(2)(tp)
    \op t0, CONTEXT_X(5)(tp)
    \op t1, CONTEXT_X(6)(tp)
    \op t2, CONTEXT_X(7)(tp)
    .endm

    .macro changed_registers_high op
    \op a3, CONTEXT_X(13)(tp)
    \op a4, CONTEXT_X(14)(tp)
    \op a5, CONTEXT_X(15)(tp)
    \op a6, CONTEXT_X(16)(tp)
    \op a7, CONTEXT_X(17)(tp)
    \op t3, CONTEXT_X(28)(tp)
    \op t4, CONTEXT_X(29)(tp)
    \op t5, CONTEXT_X(30)(tp)
    \op t6, CONTEXT_X(31)(tp)
    .endm

/* What the translator's own code never changes for good; but gp, which may be the translator's, for which there is keep_gp. */
    .macro kept_registers op
    \op s0, CONTEXT_X(8)(tp)
    \op s1, CONTEXT_X(9)(tp)
    \op s2, CONTEXT_X(18)(tp)
    \op s3, CONTEXT_X(19)(tp)
    \op s4, CONTEXT_X(20)(tp)
    \op s5, CONTEXT_X(21)(tp)
    \op s6, CONTEXT_X(22)(tp)
    \op s7, CONTEXT_X(23)(tp)
    \op s8, CONTEXT_X(24)(tp)
    \op s9, CONTEXT_X(25)(tp)
    \op s10, CONTEXT_X(26)(tp)
    \op s11, CONTEXT_X(27)(tp)
    .endm

/* Puts it away, if it is the program's; t0 is free. */
    .macro keep_gp
    ld t0, CONTEXT_SCRATCH(tp)
    bnez t0, 9f
    sd gp, CONTEXT_X(3)(tp)
9:
    .endm

#endif
