/* The program's clocks, and the timers that send it signals. */
#ifndef STRATA_MACHINE_LINUX_TIME_H
#define STRATA_MACHINE_LINUX_TIME_H

#include "machine/linux/process.h"

/* As the guest stores it. */
struct guest_timespec {
    int64_t seconds, nanoseconds;
};

struct guest_itimerspec {
    struct guest_timespec interval, value;
};

/* time.c */

/* Sets the clocks to where every run begins. */
void time_start(struct process *process);
/* Saturates: no deadline is earlier than now. */
uint64_t time_after(struct process *process, uint64_t nanoseconds);
/* Reads a struct timespec: 0, -EFAULT, or -EINVAL if it is out of range.  Times
 * that do not fit become WAIT_FOREVER. */
int time_read_timespec(struct thread *thread, guest_addr address, uint64_t *nanoseconds);
struct guest_timespec time_to_timespec(uint64_t nanoseconds);
/* What the clock shows now: 0, or -EINVAL if there is no such clock. */
int time_read_clock(struct thread *thread, int32_t clock, uint64_t *nanoseconds);
/* The deadline at which `clock` shows `moment`; WAIT_FOREVER stays what it is.
 * A clock that only runs while the program does gives -EOPNOTSUPP. */
int time_deadline(struct process *process, int32_t clock, uint64_t moment, uint64_t *deadline);
/* Moves a deadline that has been reached past `now`, by whole intervals; with
 * none, or one that does not fit, to WAIT_FOREVER.  Returns how often it was
 * reached. */
uint64_t time_advance(uint64_t *deadline, uint64_t interval, uint64_t now);

/* timer.c */

/* The next moment a timer expires, or WAIT_FOREVER.  Those of CPU time expire
 * only while a thread runs: for them it is `now`, at which the caller looked at the
 * clock, and what is left of their time.  With a later look at the host's clock they
 * would seem to be due before they are, and nothing would run that makes them so. */
uint64_t timer_next_expiry(const struct process *process, uint64_t now, bool running);
/* Sends the signals of all timers that are due. */
void timer_expire(struct process *process);
/* A new process has none. */
void timer_forget(struct process *process);

#endif
