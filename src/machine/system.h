/* Executes the instructions that reach beyond one hart: CSRs, fence.i and Xstrata. */
#ifndef STRATA_MACHINE_SYSTEM_H
#define STRATA_MACHINE_SYSTEM_H

#include "machine/machine.h"

/* Executes hart->system_word, which stands at hart->pc, and moves the pc on.  False if it is
 * illegal: the pc stays, and hart->fault_address is the instruction word. */
bool system_execute(struct machine *machine, struct hart *hart);

#endif
