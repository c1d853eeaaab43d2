/* What ppoll, pselect6 and epoll_pwait share: a timeout, and a signal mask for the wait. */
#ifndef STRATA_MACHINE_LINUX_POLL_H
#define STRATA_MACHINE_LINUX_POLL_H

#include "machine/linux/process.h"

/* The handlers keep the deadline here; wait.deadline may be earlier, when a
 * timerfd expires first. */
enum { POLL_DEADLINE = 0 };

/* At the first call: reads the timeout, a struct timespec or null, and replaces
 * the mask.  0 or -errno. */
int64_t poll_begin(struct thread *thread, guest_addr timeout, guest_addr mask, uint64_t mask_bytes);
int64_t poll_replace_mask(struct thread *thread, guest_addr mask, uint64_t mask_bytes);
bool poll_timed_out(struct thread *thread);
/* Linux tells how much of the timeout is left. */
void poll_write_rest(struct thread *thread, guest_addr timeout);
/* Blocks on `fds`, which it takes over. */
int64_t poll_block(struct thread *thread, struct pollfd *fds, unsigned count);

#endif
