/* The slices of the program that is loaded. */
#ifndef STRATA_MACHINE_PROCESSOR_PROGRAM_SLICES_H
#define STRATA_MACHINE_PROCESSOR_PROGRAM_SLICES_H

#include "machine/processor/machine.h"

/* The program at `path` was mapped `bias` above where it was linked, and nothing of it has run: its slices
 * run beside it, if there are cycles.  Those that are damaged or another program's are reported and ignored. */
void program_slices_attach(struct machine *machine, const char *path, guest_addr bias);

#endif
