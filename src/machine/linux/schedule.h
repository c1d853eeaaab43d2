/* Which thread runs next, and how a waiting thread stops waiting. */
#ifndef STRATA_MACHINE_LINUX_SCHEDULE_H
#define STRATA_MACHINE_LINUX_SCHEDULE_H

#include "machine/linux/process.h"

/* A thread's turn ends after this many instructions if another could run. */
#define SCHEDULE_QUANTUM UINT64_C(20000)
/* A thread that runs alone is stopped this often to look for signals from
 * outside. */
#define SCHEDULE_LONG_TURN UINT64_C(1000000)

/* Puts the thread behind all others that can run. */
void schedule_make_runnable(struct thread *thread);
/* The running thread's turn ends as soon as its system call is complete. */
void schedule_yield(struct process *process);

/* Frees what wait.fds holds. */
void schedule_release_fds(struct thread *thread);
/* The thread's call is over, whatever it waited for. */
void schedule_end_wait(struct thread *thread);

/* The present moment of the clock that deadlines are given in.  With
 * --real-time this first brings the virtual clock up to the host's. */
uint64_t schedule_now(struct process *process);

/* Runs until process->exiting: what schedule_run does, for a process whose
 * signals are installed already. */
void schedule_loop(struct process *process);
/* No thread is on a context of the pipeline any more. */
void schedule_leave_contexts(struct process *process);

#endif
