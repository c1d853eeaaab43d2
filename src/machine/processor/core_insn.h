/* Executes the instructions that reach beyond one hart: CSRs, fence.i and Xstrata. */
#ifndef STRATA_MACHINE_PROCESSOR_CORE_INSN_H
#define STRATA_MACHINE_PROCESSOR_CORE_INSN_H

#include "machine/processor/machine.h"

/* Executes hart->system_word, which stands at hart->pc, and moves the pc on.  False if it is
 * illegal: the pc stays, and hart->fault_address is the instruction word. */
bool core_insn_execute(struct machine *machine, struct hart *hart);

#endif
