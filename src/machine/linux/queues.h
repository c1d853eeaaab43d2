/* How threads wait for System V semaphores and messages: these are the host's, and any process may change them.
 *
 * The host is asked without waiting.  Where it says that the call would wait, the thread does, and is served in
 * turn when another thread of this process has changed something.  What other processes change is found by asking
 * again, or by waiting in the host if nobody else of this process waits for the host. */
#ifndef STRATA_MACHINE_LINUX_QUEUES_H
#define STRATA_MACHINE_LINUX_QUEUES_H

#include "machine/linux/process.h"

struct queue_kind {
    /* Makes the call without waiting: its result, or SYSCALL_BLOCKS. */
    int64_t (*attempt)(struct thread *thread, const uint64_t *arguments);
    /* Makes it in the host, which waits so long at most: its result, SYSCALL_BLOCKS if the time is over, or -EINTR.
     * NULL: the host has no such call. */
    int64_t (*block)(struct thread *thread, const uint64_t *arguments, uint64_t nanoseconds);
};

/* What the handlers keep in wait.data. */
enum {
    QUEUE_DEADLINE, /* when the call gives up with EAGAIN; set before the first queues_call */
    QUEUE_SPAN,     /* how long the last wait was: queues.c */
    QUEUE_OWN,      /* two words of the kind's own */
};

/* The handler's result. */
int64_t queues_call(struct thread *thread, const uint64_t *arguments,
                    const struct queue_kind *kind);
/* A thread of this process has changed a semaphore or a queue: serves those that wait, in their order. */
void queues_changed(struct process *process);
/* The thread is the only one that waits for the host: true if its wait is over, or a signal came. */
bool queues_wait_in_host(struct thread *thread, uint64_t nanoseconds);

#endif
