/* The slices of the program that is loaded. */
#ifndef STRATA_MACHINE_LINUX_SLICES_H
#define STRATA_MACHINE_LINUX_SLICES_H

#include "machine/linux/process.h"

/* The program at `path` was mapped `bias` above where it was linked, and nothing of it has run: its slices run
 * beside it, if there are cycles.  Those that are damaged or another program's are reported and ignored. */
void slices_attach(struct process *process, const char *path, guest_addr bias);

#endif
