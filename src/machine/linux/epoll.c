/* epoll: the host's own, with its events converted and the waiting left to the scheduler. */
#include "machine/linux/files.h"
#include "machine/linux/poll.h"
#include "machine/linux/syscall.h"
#include "machine/linux/time.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/epoll.h>

/* On x86-64 the structure is packed, on RISC-V it is not. */
struct guest_epoll_event {
    uint32_t events;
    uint32_t pad;
    uint64_t data;
};

/* More are never handed out at once: a caller that wants them calls again. */
enum { EVENTS_AT_ONCE = 256 };

int64_t sys_epoll_ctl(struct thread *thread, const uint64_t *arguments)
{
    int operation = (int)arguments[1];
    struct epoll_event event = {.events = 0};

    if (operation != EPOLL_CTL_DEL) {
        struct guest_epoll_event guest;
        if (!thread_read(thread, &guest, arguments[3], sizeof guest)) {
            return -EFAULT;
        }
        event.events = guest.events;
        event.data.u64 = guest.data;
    }
    return files_result(epoll_ctl((int)arguments[0], operation, (int)arguments[2], &event));
}

static int64_t wait_events(struct thread *thread, const uint64_t *arguments)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    struct guest_epoll_event shown[EVENTS_AT_ONCE];
    int fd = (int)arguments[0];
    int limit = (int)arguments[2];

    if (limit <= 0 || (size_t)limit > INT_MAX / sizeof shown[0]) {
        return -EINVAL;
    }
    if (limit > EVENTS_AT_ONCE) {
        limit = EVENTS_AT_ONCE;
    }
    if (!memory_allows(&thread->process->machine.memory, arguments[1],
                       (uint64_t)limit * sizeof shown[0], PAGE_WRITE)) {
        return -EFAULT;
    }
    special_update(thread);
    int ready;
    do {
        ready = epoll_wait(fd, events, limit, 0);
    } while (ready < 0 && errno == EINTR);
    if (ready < 0) {
        return -errno;
    }
    if (ready == 0 && !poll_timed_out(thread)) {
        struct pollfd *fds = malloc(sizeof *fds);
        if (fds == NULL) {
            return -ENOMEM;
        }
        fds[0] = (struct pollfd){.fd = fd, .events = POLLIN};
        int64_t result = poll_block(thread, fds, 1);
        special_prepare_wait(thread, SPECIAL_ALL);
        return result;
    }
    for (int i = 0; i < ready; i++) {
        shown[i] =
            (struct guest_epoll_event){.events = events[i].events, .data = events[i].data.u64};
    }
    thread_write(thread, arguments[1], shown, (uint64_t)ready * sizeof shown[0]);
    return ready;
}

int64_t sys_epoll_pwait(struct thread *thread, const uint64_t *arguments)
{
    if (!thread->wait.resumed) {
        int milliseconds = (int)arguments[3];
        thread->wait.data[POLL_DEADLINE] =
            milliseconds < 0
                ? WAIT_FOREVER
                : time_after(thread->process, (uint64_t)milliseconds * (NANOSECONDS / 1000));
        int64_t error = poll_replace_mask(thread, arguments[4], arguments[5]);
        if (error != 0) {
            return error;
        }
    }
    return wait_events(thread, arguments);
}

int64_t sys_epoll_pwait2(struct thread *thread, const uint64_t *arguments)
{
    int64_t error = poll_begin(thread, arguments[3], arguments[4], arguments[5]);

    return error != 0 ? error : wait_events(thread, arguments);
}
