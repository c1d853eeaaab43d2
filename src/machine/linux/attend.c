/* What happens between instructions: signals from outside, timers, waits that end, and time that passes while
 * every thread waits. */
#define _GNU_SOURCE
#include "machine/linux/futex.h"
#include "machine/linux/queues.h"
#include "machine/linux/signal.h"
#include "machine/linux/time.h"
#include "machine/schedule/outside.h"

#include <stdlib.h>

/* How long the host waits before it looks at a futex that other processes
 * share, when it cannot wait for that alone. */
#define HOST_FUTEX_SLICE UINT64_C(1000000)

/* What a thread's turn depends on in the others. */
struct others {
    bool runnable;
    bool host_awaited; /* a descriptor, a child, or a word that others share */
    uint64_t deadline; /* the earliest of a waiting thread */
};

static bool awaits_host(const struct thread_wait *wait)
{
    return wait->fd_count != 0 || wait->child || (wait->futex && wait->host_futex);
}

/* For all threads but `running`, which may be NULL. */
static struct others look_at_others(const struct process *process, const struct thread *running)
{
    struct others others = {false, false, WAIT_FOREVER};

    for (const struct thread *thread = thread_first(process); thread != NULL;
         thread = thread_next(thread)) {
        if (thread == running) {
            continue;
        }
        if (thread->task.state == TASK_RUNNABLE) {
            others.runnable = true;
        } else if (thread->task.state == TASK_WAITING) {
            /* One that was just woken or signalled: attend to it soon. */
            others.runnable |= thread->wait.woken || signal_deliverable(thread);
            others.host_awaited |= awaits_host(&thread->wait);
            if (thread->wait.deadline < others.deadline) {
                others.deadline = thread->wait.deadline;
            }
        }
    }
    return others;
}

/* Asks the host about all descriptors that threads wait for, and marks the
 * threads whose are ready.  Returns what signal_host_wait does. */
static int poll_host(struct process *process, uint64_t nanoseconds)
{
    unsigned count = 0;

    for (const struct thread *thread = thread_first(process); thread != NULL;
         thread = thread_next(thread)) {
        count += thread->task.state == TASK_WAITING ? thread->wait.fd_count : 0;
    }
    struct pollfd *fds = count == 0 ? NULL : malloc(count * sizeof *fds);
    if (fds == NULL) {
        count = 0;
    }
    unsigned used = 0;
    for (const struct thread *thread = thread_first(process); thread != NULL;
         thread = thread_next(thread)) {
        for (unsigned i = 0; thread->task.state == TASK_WAITING && i < thread->wait.fd_count; i++) {
            if (used < count) {
                fds[used++] = thread->wait.fds[i];
            }
        }
    }
    int ready = nanoseconds == 0 ? poll(fds, count, 0) : signal_host_wait(fds, count, nanoseconds);
    used = 0;
    for (struct thread *thread = thread_first(process); ready > 0 && thread != NULL;
         thread = thread_next(thread)) {
        for (unsigned i = 0; thread->task.state == TASK_WAITING && i < thread->wait.fd_count; i++) {
            if (used < count && fds[used++].revents != 0) {
                thread->wait.woken = true;
            }
        }
    }
    free(fds);
    return ready;
}

/* A waiting thread's call is tried again if anything it waits for has
 * happened; a signal ends a wait that still has nothing to show. */
static void attend_thread(struct thread *thread, uint64_t now)
{
    struct thread_wait *wait = &thread->wait;
    bool interrupted = signal_deliverable(thread);

    if (!wait->woken && now < wait->deadline && !interrupted &&
        !(wait->signal && (signal_pending(thread) & wait->wait_set) != 0)) {
        return;
    }
    wait->woken = false;
    wait->interrupted = interrupted;
    syscall_dispatch(thread);
    while (thread->task.state == TASK_WAITING && !thread->process->schedule.ended &&
           signal_deliverable(thread)) {
        signal_deliver(thread);
    }
    wait->interrupted = false;
}

void outside_collect(struct process *process)
{
    if (signal_host_noted()) {
        signal_host_collect(process);
    }
}

void outside_attend(struct process *process)
{
    const bool host_awaited = look_at_others(process, NULL).host_awaited;

    outside_collect(process);
    if (process->timers_armed) {
        timer_expire(process);
    }
    if (host_awaited) {
        poll_host(process, 0);
    }
    uint64_t now = schedule_now(&process->schedule);
    for (struct thread *thread = thread_first(process); thread != NULL && !process->schedule.ended;
         thread = thread_next(thread)) {
        if (thread->task.state == TASK_WAITING) {
            attend_thread(thread, now);
        }
    }
}

/* The only thread that waits for the host, which can then wait for just that; NULL if there are several. */
static struct thread *only_awaiting(const struct process *process)
{
    struct thread *only = NULL;

    for (struct thread *thread = thread_first(process); thread != NULL;
         thread = thread_next(thread)) {
        if (thread->task.state != TASK_WAITING || !awaits_host(&thread->wait)) {
            continue;
        }
        if (only != NULL) {
            return NULL;
        }
        only = thread;
    }
    return only;
}

static bool host_futex_awaited(const struct process *process)
{
    for (const struct thread *thread = thread_first(process); thread != NULL;
         thread = thread_next(thread)) {
        if (thread->task.state == TASK_WAITING && thread->wait.futex && thread->wait.host_futex) {
            return true;
        }
    }
    return false;
}

static void wake_host_futexes(struct process *process)
{
    for (struct thread *thread = thread_first(process); thread != NULL;
         thread = thread_next(thread)) {
        thread->wait.woken |= thread->wait.futex && thread->wait.host_futex;
    }
}

bool outside_wait_in_host(struct process *process, uint64_t nanoseconds)
{
    struct thread *only = only_awaiting(process);

    if (only != NULL && only->wait.queue != NULL && only->wait.queue->block != NULL) {
        return !queues_wait_in_host(only, nanoseconds) && !signal_host_noted();
    }
    if (!host_futex_awaited(process)) {
        return poll_host(process, nanoseconds) == 0;
    }
    bool quiet = only != NULL ? !futex_wait_in_host(only, nanoseconds)
                              : poll_host(process, nanoseconds) == 0;
    wake_host_futexes(process);
    return quiet && !signal_host_noted();
}

uint64_t outside_next_deadline(struct process *process)
{
    const uint64_t timer = timer_next_expiry(process, schedule_now(&process->schedule), false);
    const uint64_t deadline = look_at_others(process, NULL).deadline;

    return timer < deadline ? timer : deadline;
}

bool outside_awaits_host(const struct process *process)
{
    return process->forked || process->children != 0 || look_at_others(process, NULL).host_awaited;
}

/* Every thread waits.  Time jumps to the next deadline if nothing but time can
 * end the waits; what other processes do takes real time. */
void outside_idle(struct process *process)
{
    uint64_t deadline = outside_next_deadline(process);
    uint64_t now = schedule_now(&process->schedule);

    if (deadline <= now) {
        return;
    }
    uint64_t span = deadline == WAIT_FOREVER ? WAIT_FOREVER : deadline - now;
    if (host_futex_awaited(process) && span > HOST_FUTEX_SLICE) {
        span = HOST_FUTEX_SLICE;
    }
    bool really =
        outside_awaits_host(process) || process->machine.options.real_time || span == WAIT_FOREVER;
    if (really && !outside_wait_in_host(process, span)) {
        return;
    }
    if (span != WAIT_FOREVER && !process->machine.options.real_time) {
        process->machine.idle_nanoseconds += span;
    }
}

/* How long nothing that the clock brings is due. */
static uint64_t time_left(struct process *process, uint64_t deadline)
{
    if (deadline == WAIT_FOREVER && !process->timers_armed) {
        return WAIT_FOREVER;
    }
    const uint64_t now = schedule_now(&process->schedule),
                   timer = timer_next_expiry(process, now, true);
    const uint64_t next = deadline < timer ? deadline : timer;
    return next > now ? next - now : 0;
}

struct outlook outside_look(struct process *process, const struct thread *running)
{
    const struct others others = look_at_others(process, running);
    const guest_sigset pending =
        (running->signals.pending | process->signals.pending) & ~running->blocked;
    return (struct outlook){.others_runnable = others.runnable,
                            .host_awaited = others.host_awaited,
                            .signal_waits = pending != 0 && signal_must_wait(running) &&
                                            !running->hart.in_callback,
                            .nanoseconds = time_left(process, others.deadline)};
}

bool outside_signal_came(void)
{
    return signal_host_noted();
}

void outside_leave_signals(void)
{
    signal_host_leave();
}
