/* What the program can ask about the system it runs on, always with the same answers. */
#ifndef STRATA_MACHINE_LINUX_SYSINFO_H
#define STRATA_MACHINE_LINUX_SYSINFO_H

#include "machine/linux/process.h"

void sysinfo_start(struct process *process);
/* The program is over: takes back its limits on this process's files. */
void sysinfo_end(void);
/* A child's random numbers differ from its parent's, in the same way each time. */
void sysinfo_separate_random(struct process *process);

#endif
