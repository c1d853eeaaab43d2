/* What the scheduler needs of the system whose threads it runs; linux/ provides it. */
#ifndef STRATA_MACHINE_SCHEDULE_OUTSIDE_H
#define STRATA_MACHINE_SCHEDULE_OUTSIDE_H

#include "machine/engine/engine.h"

#include <stdbool.h>
#include <stdint.h>

struct process;
struct thread;

/* Everything that happens between instructions: signals from outside, timers, waits that end. */
void outside_attend(struct process *process);
/* Signals from outside go to where they are sent. */
void outside_collect(struct process *process);
/* A signal makes the thread enter its handler, or ends it or the program; false if there is none for it
 * now. */
bool outside_interrupt(struct thread *thread);
/* The engine stopped the thread, which ran. */
void outside_stopped(struct thread *thread, enum engine_stop stop);

/* What the turn of a running thread depends on. */
struct outlook {
    bool others_runnable;
    bool
        host_awaited; /* another one waits for a descriptor, a child, or a word that others share */
    bool
        signal_waits; /* one that could not be delivered before this instruction, but may be after it */
    uint64_t nanoseconds; /* until a timer or another thread's wait ends; SCHEDULE_FOREVER: never */
};
struct outlook outside_look(struct process *process, const struct thread *running);

/* Every thread waits: lets time pass. */
void outside_idle(struct process *process);
/* If every thread waits: the next moment at which one need not, or SCHEDULE_FOREVER; and whether what
 * ends their waits may take real time. */
uint64_t outside_next_deadline(struct process *process);
bool outside_awaits_host(const struct process *process);
/* Lets the host's time pass, at most `nanoseconds`: true if nothing happened in it. */
bool outside_wait_in_host(struct process *process, uint64_t nanoseconds);
/* Whether a signal has come from outside and was not collected. */
bool outside_signal_came(void);
/* The program has ended, and this process goes on without it: signals are the process's own again. */
void outside_leave_signals(void);

/* How the program ended, which it has. */
struct ending {
    int status, signal;
};
struct ending outside_ending(const struct process *process);
/* Ends the program, which Strata cannot run on. */
void outside_end(struct process *process, int status);
/* For messages. */
const char *outside_name(const struct process *process);
/* The thread has ended, and nobody has its task any more. */
void outside_free(struct thread *thread);

#endif
