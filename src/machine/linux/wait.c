/* How a system call waits: asks the host if it would block, leaves the waiting to the scheduler. */
#include "machine/linux/wait.h"

#include "machine/linux/files.h"
#include "machine/linux/time.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

/* How long wait_briefly lets the rest of the world work. */
#define BRIEF_NANOSECONDS 1000000

bool wait_expected(int host_fd, short events)
{
    struct pollfd descriptor = {.fd = host_fd, .events = events};
    int ready;

    do {
        ready = poll(&descriptor, 1, 0);
    } while (ready < 0 && errno == EINTR);
    if (ready != 0) {
        return false;
    }
    int flags = fcntl(host_fd, F_GETFL);
    if (flags < 0 || (flags & (O_NONBLOCK | O_PATH)) != 0) {
        return false;
    }
    /* The wrong end of a pipe is never ready; the call itself finds the error. */
    int unusable = (events & POLLIN) != 0 ? O_WRONLY : O_RDONLY;
    return (flags & O_ACCMODE) != unusable;
}

static int64_t wait_on(struct thread *thread, int host_fd, short events, uint64_t deadline)
{
    struct pollfd *fds = malloc(sizeof *fds);

    if (fds == NULL) {
        return -ENOMEM;
    }
    fds[0] = (struct pollfd){.fd = host_fd, .events = events};
    thread->wait.fds = fds;
    thread->wait.fd_count = 1;
    thread->wait.deadline = deadline;
    return SYSCALL_BLOCKS;
}

int64_t wait_for_descriptor(struct thread *thread, int host_fd, short events, uint64_t deadline)
{
    int64_t result = wait_on(thread, host_fd, events, deadline);

    special_prepare_wait(thread, host_fd);
    return result;
}

/* Waiting for a descriptor, even one that is never ready, takes real time. */
int64_t wait_in_real_time(struct thread *thread, uint64_t deadline)
{
    const int no_descriptor = -1;

    return wait_on(thread, no_descriptor, 0, deadline);
}

int64_t wait_briefly(struct thread *thread)
{
    return wait_in_real_time(thread, time_after(thread->process, BRIEF_NANOSECONDS));
}

void wait_release_fds(struct thread *thread)
{
    free(thread->wait.fds);
    thread->wait.fds = NULL;
    thread->wait.fd_count = 0;
}

void wait_end(struct thread *thread)
{
    wait_release_fds(thread);
    thread->wait.futex = false;
    thread->wait.child = false;
    thread->wait.queue = NULL;
    thread->wait.signal = false;
    thread->wait.woken = false;
    if (thread->task.state == TASK_WAITING) {
        thread_make_runnable(thread);
    }
}
