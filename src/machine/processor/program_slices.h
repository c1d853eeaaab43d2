/* The slices of the program that is loaded. */
#ifndef STRATA_MACHINE_PROCESSOR_PROGRAM_SLICES_H
#define STRATA_MACHINE_PROCESSOR_PROGRAM_SLICES_H

#include "machine/processor/machine.h"

/* The program at `path` was mapped `bias` above where it was linked, and nothing of it has run: its slices
 * run beside it, if there are cycles.  Those that are damaged or another program's are reported and ignored. */
void program_slices_attach(struct machine *machine, const char *path, guest_addr bias);

/* The program that a translator runs has been mapped: its slices, which program_slices_attach has read, run
 * from now on. */
void program_slices_loaded(struct machine *machine, guest_addr bias);
/* It has not, so far as is known: says that its slices do not run. */
void program_slices_lost(struct machine *machine);

#endif
