/* ppoll and pselect6: asks the host which descriptors are ready, and waits by the guest's clock. */
#include "machine/linux/poll.h"

#include "machine/linux/files.h"
#include "machine/linux/signal.h"
#include "machine/linux/syscall.h"
#include "machine/linux/time.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>

int64_t poll_replace_mask(struct thread *thread, guest_addr mask, uint64_t mask_bytes)
{
    guest_sigset replaced;

    if (mask == 0) {
        return 0;
    }
    if (mask_bytes != sizeof replaced) {
        return -EINVAL;
    }
    if (!thread_read(thread, &replaced, mask, sizeof replaced)) {
        return -EFAULT;
    }
    thread->restored_mask = thread->blocked;
    thread->restore_mask = true;
    thread->blocked = replaced & ~SIGNALS_UNBLOCKABLE;
    return 0;
}

int64_t poll_begin(struct thread *thread, guest_addr timeout, guest_addr mask, uint64_t mask_bytes)
{
    uint64_t *deadline = &thread->wait.data[POLL_DEADLINE];

    if (thread->wait.resumed) {
        return 0;
    }
    *deadline = WAIT_FOREVER;
    if (timeout != 0) {
        uint64_t nanoseconds;
        int error = time_read_timespec(thread, timeout, &nanoseconds);
        if (error != 0) {
            return error;
        }
        *deadline = time_after(thread->process, nanoseconds);
    }
    return poll_replace_mask(thread, mask, mask_bytes);
}

bool poll_timed_out(struct thread *thread)
{
    return schedule_now(&thread->process->schedule) >= thread->wait.data[POLL_DEADLINE];
}

void poll_write_rest(struct thread *thread, guest_addr timeout)
{
    uint64_t deadline = thread->wait.data[POLL_DEADLINE];
    uint64_t now = schedule_now(&thread->process->schedule);

    if (timeout == 0 || deadline == WAIT_FOREVER) {
        return;
    }
    struct guest_timespec rest = time_to_timespec(deadline > now ? deadline - now : 0);
    thread_write(thread, timeout, &rest, sizeof rest);
}

int64_t poll_block(struct thread *thread, struct pollfd *fds, unsigned count)
{
    thread->wait.fds = fds;
    thread->wait.fd_count = count;
    thread->wait.never_restarts = true;
    thread->wait.deadline = thread->wait.data[POLL_DEADLINE];
    for (unsigned i = 0; i < count; i++) {
        special_prepare_wait(thread, fds[i].fd);
    }
    return SYSCALL_BLOCKS;
}

static int64_t poll_now(struct thread *thread, struct pollfd *fds, unsigned count)
{
    int ready;

    special_update(thread);
    do {
        ready = poll(fds, count, 0);
    } while (ready < 0 && errno == EINTR);
    return ready < 0 ? -(int64_t)errno : ready;
}

static uint64_t most_descriptors(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 1024;
}

int64_t sys_ppoll(struct thread *thread, const uint64_t *arguments)
{
    guest_addr address = arguments[0];
    uint64_t count = (uint32_t)arguments[1];
    guest_addr timeout = arguments[2];
    uint64_t bytes = count * sizeof(struct pollfd);

    int64_t result = poll_begin(thread, timeout, arguments[3], arguments[4]);
    if (result != 0) {
        return result;
    }
    if (count > most_descriptors()) {
        return -EINVAL;
    }
    struct pollfd *fds = malloc(bytes + 1);
    if (fds == NULL) {
        return -ENOMEM;
    }
    if (!thread_read(thread, fds, address, bytes)) {
        free(fds);
        return -EFAULT;
    }
    result = poll_now(thread, fds, (unsigned)count);
    if (result == 0 && !poll_timed_out(thread)) {
        if (thread->wait.interrupted) {
            poll_write_rest(thread, timeout);
        }
        return poll_block(thread, fds, (unsigned)count);
    }
    if (result >= 0) {
        result = thread_write(thread, address, fds, bytes) ? result : -EFAULT;
    }
    poll_write_rest(thread, timeout);
    free(fds);
    return result;
}

enum { SETS = 3, SET_READ = 0, SET_WRITE = 1, SET_EXCEPTION = 2 };

/* Which events select asks for, and which ones make a descriptor count. */
static const struct select_set {
    short asked;
    short counted;
} select_sets[SETS] = {
    [SET_READ] = {POLLIN | POLLRDNORM | POLLRDBAND,
                  POLLIN | POLLRDNORM | POLLRDBAND | POLLHUP | POLLERR},
    [SET_WRITE] = {POLLOUT | POLLWRNORM | POLLWRBAND, POLLOUT | POLLWRNORM | POLLWRBAND | POLLERR},
    [SET_EXCEPTION] = {POLLPRI, POLLPRI},
};

/* The three sets of a select call, each `words` long; all in one block. */
struct select_request {
    uint64_t *bits[SETS];
    uint64_t *block;
    unsigned words;
    unsigned count; /* of descriptors in question */
};

static bool bit_set(const uint64_t *bits, unsigned number)
{
    return (bits[number / 64] >> number % 64 & 1) != 0;
}

static int64_t load_sets(struct thread *thread, const uint64_t *arguments,
                         struct select_request *request)
{
    int limit = (int)arguments[0];

    if (limit < 0) {
        return -EINVAL;
    }
    uint64_t most = most_descriptors();
    request->count = (uint64_t)limit > most ? (unsigned)most : (unsigned)limit;
    request->words = (request->count + 63) / 64;
    request->block = calloc((size_t)request->words * SETS + 1, sizeof *request->block);
    if (request->block == NULL) {
        return -ENOMEM;
    }
    for (unsigned i = 0; i < SETS; i++) {
        request->bits[i] = request->block + (size_t)i * request->words;
        if (arguments[1 + i] != 0 && !thread_read(thread, request->bits[i], arguments[1 + i],
                                                  request->words * sizeof(uint64_t))) {
            return -EFAULT;
        }
    }
    return 0;
}

/* One entry per descriptor that is in any set; returns their number. */
static unsigned collect_descriptors(const struct select_request *request, struct pollfd *fds)
{
    unsigned used = 0;

    for (unsigned fd = 0; fd < request->count; fd++) {
        short events = 0;
        for (unsigned i = 0; i < SETS; i++) {
            if (bit_set(request->bits[i], fd)) {
                events |= select_sets[i].asked;
            }
        }
        if (events != 0) {
            fds[used++] = (struct pollfd){.fd = (int)fd, .events = events};
        }
    }
    return used;
}

/* Leaves in the sets what is ready; returns how many bits that is, or -EBADF. */
static int64_t keep_ready(struct select_request *request, const struct pollfd *fds, unsigned used)
{
    int64_t ready = 0;

    for (unsigned entry = 0; entry < used; entry++) {
        unsigned fd = (unsigned)fds[entry].fd;
        if ((fds[entry].revents & POLLNVAL) != 0) {
            return -EBADF;
        }
        for (unsigned i = 0; i < SETS; i++) {
            if (!bit_set(request->bits[i], fd)) {
                continue;
            }
            if ((fds[entry].revents & select_sets[i].counted) != 0) {
                ready++;
            } else {
                request->bits[i][fd / 64] &= ~(UINT64_C(1) << fd % 64);
            }
        }
    }
    return ready;
}

static int64_t select_ready(struct thread *thread, const uint64_t *arguments,
                            struct select_request *request)
{
    struct pollfd *fds = malloc(((size_t)request->count + 1) * sizeof *fds);

    if (fds == NULL) {
        return -ENOMEM;
    }
    unsigned used = collect_descriptors(request, fds);
    int64_t result = poll_now(thread, fds, used);
    if (result >= 0) {
        result = keep_ready(request, fds, used);
    }
    if (result == 0 && !poll_timed_out(thread)) {
        return poll_block(thread, fds, used);
    }
    free(fds);
    for (unsigned i = 0; result >= 0 && i < SETS; i++) {
        if (arguments[1 + i] != 0 && !thread_write(thread, arguments[1 + i], request->bits[i],
                                                   request->words * sizeof(uint64_t))) {
            result = -EFAULT;
        }
    }
    return result;
}

int64_t sys_pselect6(struct thread *thread, const uint64_t *arguments)
{
    struct {
        guest_addr mask;
        uint64_t bytes;
    } signals = {0, 0};
    struct select_request request = {.block = NULL};

    if (arguments[5] != 0 && !thread_read(thread, &signals, arguments[5], sizeof signals)) {
        return -EFAULT;
    }
    int64_t result = poll_begin(thread, arguments[4], signals.mask, signals.bytes);
    if (result == 0) {
        result = load_sets(thread, arguments, &request);
    }
    if (result == 0) {
        result = select_ready(thread, arguments, &request);
        if (result != SYSCALL_BLOCKS || thread->wait.interrupted) {
            poll_write_rest(thread, arguments[4]);
        }
    }
    free(request.block);
    return result;
}
