/* What the program can ask about the system it runs on, always with the same answers. */
#ifndef STRATA_MACHINE_LINUX_SYSTEM_H
#define STRATA_MACHINE_LINUX_SYSTEM_H

#include "machine/linux/process.h"

void system_start(struct process *process);
/* The program is over: takes back its limits on this process's files. */
void system_end(void);
/* A child's random numbers differ from its parent's, in the same way each time. */
void system_separate_random(struct process *process);

#endif
