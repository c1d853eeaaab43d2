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

/* What the running thread's turn depends on in the others. */
struct outlook {
    bool others_runnable;
    bool host_awaited; /* a descriptor, a child, or a word that others share */
    uint64_t deadline; /* the earliest of a waiting thread */
};

/* For all threads but `running`, which may be NULL. */
struct outlook schedule_look_at_others(const struct process *process, const struct thread *running);
/* Everything that happens between instructions: signals from outside, timers, waits that end. */
void schedule_attend(struct process *process, bool host_awaited);
/* If every thread waits: the next moment at which one need not, or WAIT_FOREVER; and whether what ends their
 * waits may take real time. */
uint64_t schedule_next_deadline(struct process *process);
bool schedule_awaits_host(const struct process *process);
/* Lets the host's time pass, at most `nanoseconds`: true if nothing happened in it. */
bool schedule_wait_in_host(struct process *process, uint64_t nanoseconds);
/* Every thread waits: lets time pass. */
void schedule_idle(struct process *process);
/* The thread is the one whose instructions run from now on. */
void schedule_switch_to(struct process *process, struct thread *thread);
/* How many instructions may run before something else must be looked at; 0 if the turn, which began at
 * machine.instructions `turn_start`, is over. */
uint64_t schedule_budget(struct process *process, const struct thread *thread,
                         const struct outlook *outlook, uint64_t turn_start);
/* Runs the thread for that long at most, and handles what stops it. */
void schedule_execute(struct thread *thread, uint64_t budget);
/* Frees threads that have ended. */
void schedule_reap_threads(struct process *process);

/* Runs until process->exiting: what schedule_run does, for a process whose
 * signals are installed already. */
void schedule_loop(struct process *process);
/* turns.c and contexts.c: the same, without cycles and with them, until the machine goes over to the
 * other. */
void turns_loop(struct process *process);
void contexts_loop(struct process *process);
/* Gives free contexts to threads that can run. */
void contexts_fill(struct process *process);
/* Lets the thread on the context execute as much as the context takes; the pipeline says later how long that
 * was. */
void contexts_feed(struct process *process, unsigned context);
/* No thread is on a context of the pipeline any more. */
void contexts_leave(struct process *process);

#endif
