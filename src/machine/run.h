/* Runs a program that is loaded, from its first instruction to its end. */
#ifndef STRATA_MACHINE_RUN_H
#define STRATA_MACHINE_RUN_H

struct process;

/* Runs the program until it ends.  In a forked child of the program it does not return. */
void run_process(struct process *process);

#endif
