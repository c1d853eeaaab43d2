/* How a system call waits: asks the host if it would block, leaves the waiting to the scheduler. */
#ifndef STRATA_MACHINE_LINUX_WAIT_H
#define STRATA_MACHINE_LINUX_WAIT_H

#include "machine/linux/process.h"

/* True if a call on `host_fd` that needs `events` would make its caller wait:
 * nothing is ready, and the descriptor is not in non-blocking mode. */
bool wait_expected(int host_fd, short events);
/* Waits for `events` on one descriptor, or until `deadline`.  Returns
 * SYSCALL_BLOCKS or -ENOMEM. */
int64_t wait_for_descriptor(struct thread *thread, int host_fd, short events, uint64_t deadline);
/* Waits for something that the host can only be asked about: a lock, the other
 * end of a FIFO.  The handler asks again in a moment. */
int64_t wait_briefly(struct thread *thread);
/* Waits until `deadline`, but the host's time passes too: another process may end the wait. */
int64_t wait_in_real_time(struct thread *thread, uint64_t deadline);

/* Frees what wait.fds holds. */
void wait_release_fds(struct thread *thread);
/* The thread's call is over, whatever it waited for. */
void wait_end(struct thread *thread);

#endif
