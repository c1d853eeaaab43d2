/* Waking threads that wait on a word of memory. */
#ifndef STRATA_MACHINE_LINUX_FUTEX_H
#define STRATA_MACHINE_LINUX_FUTEX_H

#include "machine/linux/process.h"

/* True if the word can be accessed as `permissions` say, PAGE_READ among them. */
bool futex_usable(const struct process *process, guest_addr address, unsigned permissions);
/* Wakes at most `count` waiters on the word, in other processes too if the
 * memory is shared with them; returns how many. */
int64_t futex_wake(struct process *process, guest_addr address, uint32_t count, uint32_t bits);
/* Another process woke this thread. */
void futex_end_wait(struct thread *thread);
/* All threads wait, and `thread` for a word that another process may change:
 * gives that at most `nanoseconds` to happen.  True if the thread was woken. */
bool futex_wait_in_host(struct thread *thread, uint64_t nanoseconds);

#endif
