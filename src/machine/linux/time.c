/* The program's clocks and sleeping: virtual time, in which an instruction takes a nanosecond. */
#define _GNU_SOURCE
#include "machine/linux/time.h"

#include "machine/linux/syscall.h"
#include "machine/linux/thread.h"

#include <errno.h>
#include <sys/resource.h>
#include <time.h>

enum {
    GUEST_TIMER_ABSTIME = 1,
    TICKS_PER_SECOND = 100, /* USER_HZ */
    THREAD_CLOCK = 4,       /* in the number of a clock made for one thread or process */
};

/* 2025-01-01 00:00 UTC: every run begins at this moment. */
#define EPOCH_SECONDS UINT64_C(1735689600)

void time_start(struct process *process)
{
    process->epoch = EPOCH_SECONDS * NANOSECONDS;
    if (process->machine.options.real_time) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        process->epoch = (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
        clock_gettime(CLOCK_MONOTONIC, &now);
        process->schedule.host_start = (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
    }
}

uint64_t time_after(struct process *process, uint64_t nanoseconds)
{
    uint64_t now = schedule_now(&process->schedule);

    return nanoseconds > WAIT_FOREVER - now ? WAIT_FOREVER : now + nanoseconds;
}

int time_read_timespec(struct thread *thread, guest_addr address, uint64_t *nanoseconds)
{
    struct guest_timespec guest;

    if (!thread_read(thread, &guest, address, sizeof guest)) {
        return -EFAULT;
    }
    if (guest.seconds < 0 || guest.nanoseconds < 0 || guest.nanoseconds >= (int64_t)NANOSECONDS) {
        return -EINVAL;
    }
    uint64_t seconds = (uint64_t)guest.seconds;
    *nanoseconds = seconds >= WAIT_FOREVER / NANOSECONDS
                       ? WAIT_FOREVER
                       : seconds * NANOSECONDS + (uint64_t)guest.nanoseconds;
    return 0;
}

struct guest_timespec time_to_timespec(uint64_t nanoseconds)
{
    struct guest_timespec guest = {
        .seconds = (int64_t)(nanoseconds / NANOSECONDS),
        .nanoseconds = (int64_t)(nanoseconds % NANOSECONDS),
    };
    return guest;
}

/* pthread_getcpuclockid and clock_getcpuclockid encode the thread's or
 * process's number in a negative clock number. */
static int read_made_clock(struct thread *thread, int32_t clock, uint64_t *nanoseconds)
{
    struct process *process = thread->process;
    pid_t id = (pid_t) ~(clock >> 3);

    if ((clock & THREAD_CLOCK) != 0) {
        struct thread *target = id == 0 ? thread : thread_find(process, id);
        if (target == NULL) {
            return -EINVAL;
        }
        *nanoseconds = target->hart.instructions;
        return 0;
    }
    if (id != 0 && id != process->pid) {
        return -EINVAL;
    }
    *nanoseconds = process->machine.instructions;
    return 0;
}

int time_read_clock(struct thread *thread, int32_t clock, uint64_t *nanoseconds)
{
    struct process *process = thread->process;

    if (clock < 0) {
        return read_made_clock(thread, clock, nanoseconds);
    }
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        *nanoseconds = process->epoch + schedule_now(&process->schedule);
        return 0;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        *nanoseconds = schedule_now(&process->schedule);
        return 0;
    case CLOCK_PROCESS_CPUTIME_ID:
        *nanoseconds = process->machine.instructions;
        return 0;
    case CLOCK_THREAD_CPUTIME_ID:
        *nanoseconds = thread->hart.instructions;
        return 0;
    default:
        return -EINVAL;
    }
}

int time_deadline(struct process *process, int32_t clock, uint64_t moment, uint64_t *deadline)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        *deadline = moment == WAIT_FOREVER    ? WAIT_FOREVER
                    : moment > process->epoch ? moment - process->epoch
                                              : 0;
        return 0;
    case CLOCK_MONOTONIC:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        *deadline = moment;
        return 0;
    case CLOCK_THREAD_CPUTIME_ID:
        return -EINVAL;
    default:
        return clock < 0 || clock <= CLOCK_TAI ? -EOPNOTSUPP : -EINVAL;
    }
}

uint64_t time_advance(uint64_t *deadline, uint64_t interval, uint64_t now)
{
    if (interval == 0) {
        *deadline = WAIT_FOREVER;
        return 1;
    }
    uint64_t passed = (now - *deadline) / interval;
    uint64_t last = *deadline + passed * interval;
    *deadline = interval > WAIT_FOREVER - last ? WAIT_FOREVER : last + interval;
    return passed + 1;
}

int64_t sys_clock_gettime(struct thread *thread, const uint64_t *arguments)
{
    uint64_t nanoseconds;
    int error = time_read_clock(thread, (int32_t)arguments[0], &nanoseconds);

    if (error != 0) {
        return error;
    }
    struct guest_timespec guest = time_to_timespec(nanoseconds);
    return thread_write(thread, arguments[1], &guest, sizeof guest) ? 0 : -EFAULT;
}

int64_t sys_clock_getres(struct thread *thread, const uint64_t *arguments)
{
    uint64_t unused;
    int error = time_read_clock(thread, (int32_t)arguments[0], &unused);
    struct guest_timespec resolution = {.seconds = 0, .nanoseconds = 1};

    if (error != 0) {
        return error;
    }
    if (arguments[1] != 0 && !thread_write(thread, arguments[1], &resolution, sizeof resolution)) {
        return -EFAULT;
    }
    return 0;
}

int64_t sys_gettimeofday(struct thread *thread, const uint64_t *arguments)
{
    uint64_t now = thread->process->epoch + schedule_now(&thread->process->schedule);
    int64_t moment[2] = {(int64_t)(now / NANOSECONDS), (int64_t)(now % NANOSECONDS / 1000)};
    int32_t zone[2] = {0, 0};

    if (arguments[0] != 0 && !thread_write(thread, arguments[0], moment, sizeof moment)) {
        return -EFAULT;
    }
    if (arguments[1] != 0 && !thread_write(thread, arguments[1], zone, sizeof zone)) {
        return -EFAULT;
    }
    return 0;
}

/* Setting the time is for whoever owns the machine. */
int64_t sys_clock_settime(struct thread *thread, const uint64_t *arguments)
{
    (void)thread;
    (void)arguments;
    return -EPERM;
}

int64_t sys_settimeofday(struct thread *thread, const uint64_t *arguments)
{
    return sys_clock_settime(thread, arguments);
}

/* Sleeps until wait.deadline; if a signal interrupts it, the rest goes to
 * `remaining` unless that is 0. */
static int64_t sleep_on(struct thread *thread, guest_addr remaining)
{
    uint64_t now = schedule_now(&thread->process->schedule);

    if (now >= thread->wait.deadline) {
        return 0;
    }
    thread->wait.never_restarts = true;
    if (thread->wait.interrupted && remaining != 0) {
        struct guest_timespec guest = time_to_timespec(thread->wait.deadline - now);
        if (!thread_write(thread, remaining, &guest, sizeof guest)) {
            return -EFAULT;
        }
    }
    return SYSCALL_BLOCKS;
}

int64_t sys_nanosleep(struct thread *thread, const uint64_t *arguments)
{
    if (!thread->wait.resumed) {
        uint64_t nanoseconds;
        int error = time_read_timespec(thread, arguments[0], &nanoseconds);
        if (error != 0) {
            return error;
        }
        thread->wait.deadline = time_after(thread->process, nanoseconds);
    }
    return sleep_on(thread, arguments[1]);
}

int64_t sys_clock_nanosleep(struct thread *thread, const uint64_t *arguments)
{
    bool absolute = (arguments[1] & GUEST_TIMER_ABSTIME) != 0;

    if (!thread->wait.resumed) {
        struct process *process = thread->process;
        uint64_t nanoseconds, deadline;
        int error = time_deadline(process, (int32_t)arguments[0], 0, &deadline);
        if (error == 0) {
            error = time_read_timespec(thread, arguments[2], &nanoseconds);
        }
        if (error != 0) {
            return error;
        }
        if (absolute) {
            time_deadline(process, (int32_t)arguments[0], nanoseconds, &thread->wait.deadline);
        } else {
            thread->wait.deadline = time_after(process, nanoseconds);
        }
    }
    return sleep_on(thread, absolute ? 0 : arguments[3]);
}

int64_t sys_times(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    const uint64_t tick = NANOSECONDS / TICKS_PER_SECOND;
    struct rusage children;

    getrusage(RUSAGE_CHILDREN, &children);
    int64_t times[4] = {
        (int64_t)(process->machine.instructions / tick),
        0,
        children.ru_utime.tv_sec * TICKS_PER_SECOND +
            children.ru_utime.tv_usec / (1000000 / TICKS_PER_SECOND),
        children.ru_stime.tv_sec * TICKS_PER_SECOND +
            children.ru_stime.tv_usec / (1000000 / TICKS_PER_SECOND),
    };
    if (arguments[0] != 0 && !thread_write(thread, arguments[0], times, sizeof times)) {
        return -EFAULT;
    }
    return (int64_t)(schedule_now(&process->schedule) / tick);
}
