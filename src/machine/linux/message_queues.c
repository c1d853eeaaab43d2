/* POSIX message queues: the host's, whose descriptors threads wait for by the guest's clock. */
#include "machine/linux/files.h"
#include "machine/linux/syscall.h"
#include "machine/linux/time.h"
#include "machine/linux/wait.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* wait.data: when the call gives up. */
enum { DATA_DEADLINE };

/* Reads the moment of CLOCK_REALTIME at which the call gives up: 0 or -errno. */
static int64_t begin(struct thread *thread, guest_addr timeout)
{
    uint64_t *deadline = &thread->wait.data[DATA_DEADLINE];
    uint64_t moment;

    if (thread->wait.resumed) {
        return 0;
    }
    *deadline = WAIT_FOREVER;
    if (timeout == 0) {
        return 0;
    }
    int error = time_read_timespec(thread, timeout, &moment);
    return error != 0 ? error : time_deadline(thread->process, CLOCK_REALTIME, moment, deadline);
}

/* What becomes of a call that the host was to give up at once, if it had to wait. */
static int64_t finish(struct thread *thread, int fd, int64_t result, short events)
{
    uint64_t deadline = thread->wait.data[DATA_DEADLINE];

    if (result == -EINTR) {
        return SYSCALL_INTERRUPTED;
    }
    if (result != -ETIMEDOUT || schedule_now(&thread->process->schedule) >= deadline) {
        return result;
    }
    return wait_for_descriptor(thread, fd, events, deadline);
}

static const struct timespec at_once = {0, 0};

int64_t sys_mq_timedsend(struct thread *thread, const uint64_t *arguments)
{
    int fd = (int)arguments[0];
    int64_t error = begin(thread, arguments[4]);

    if (error != 0) {
        return error;
    }
    int64_t result =
        files_result(syscall(SYS_mq_timedsend, fd, guest_buffer(thread, arguments[1], arguments[2]),
                             arguments[2], (unsigned)arguments[3], &at_once));
    return finish(thread, fd, result, POLLOUT);
}

int64_t sys_mq_timedreceive(struct thread *thread, const uint64_t *arguments)
{
    int fd = (int)arguments[0];
    int64_t error = begin(thread, arguments[4]);

    if (error != 0) {
        return error;
    }
    int64_t result = files_result(
        syscall(SYS_mq_timedreceive, fd, guest_buffer(thread, arguments[1], arguments[2]),
                arguments[2], guest_pointer(thread, arguments[3]), &at_once));
    return finish(thread, fd, result, POLLIN);
}

/* The host's signal comes to the program by the way of all signals.  What SIGEV_THREAD stands for is told to a socket,
 * with the bytes that the value points to. */
int64_t sys_mq_notify(struct thread *thread, const uint64_t *arguments)
{
    struct sigevent event;

    if (arguments[1] == 0) {
        return files_result(syscall(SYS_mq_notify, (int)arguments[0], NULL));
    }
    if (!thread_read(thread, &event, arguments[1], sizeof event)) {
        return -EFAULT;
    }
    if (event.sigev_notify == SIGEV_THREAD) {
        event.sigev_value.sival_ptr =
            guest_pointer(thread, (guest_addr)(uintptr_t)event.sigev_value.sival_ptr);
    }
    return files_result(syscall(SYS_mq_notify, (int)arguments[0], &event));
}
