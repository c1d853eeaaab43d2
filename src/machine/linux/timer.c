/* Timers that send signals: setitimer's three, and those of timer_create. */
#define _GNU_SOURCE
#include "machine/linux/signal.h"
#include "machine/linux/syscall.h"
#include "machine/linux/thread.h"
#include "machine/linux/time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

enum {
    NOTIFY_SIGNAL = 0,    /* SIGEV_SIGNAL */
    NOTIFY_NONE = 1,      /* SIGEV_NONE */
    NOTIFY_THREAD_ID = 4, /* SIGEV_THREAD_ID */
    ABSOLUTE = 1,         /* TIMER_ABSTIME */
    INFO_CODE_TIMER = -2, /* SI_TIMER */
    INFO_CODE_KERNEL = 0x80,
};

struct posix_timer {
    int id;
    int32_t clock;
    bool cpu_time; /* the deadline is a number of retired instructions */
    int notify;
    int signal;
    pid_t tid; /* NOTIFY_THREAD_ID */
    uint64_t value;
    uint64_t deadline; /* WAIT_FOREVER: not armed */
    uint64_t interval;
    int32_t overrun;
    struct posix_timer *next;
};

/* The first part of the kernel's struct sigevent. */
struct guest_sigevent {
    uint64_t value;
    int32_t signal;
    int32_t notify;
    int32_t tid;
    uint8_t unused[44];
};
_Static_assert(sizeof(struct guest_sigevent) == 64, "struct sigevent");

struct guest_itimerval {
    int64_t interval_seconds, interval_microseconds;
    int64_t value_seconds, value_microseconds;
};

static const int itimer_signals[ITIMERS] = {
    [ITIMER_REAL] = SIGALRM,
    [ITIMER_VIRTUAL] = SIGVTALRM,
    [ITIMER_PROF] = SIGPROF,
};

/* What a deadline of this kind of timer is compared with. */
static uint64_t timer_now(struct process *process, bool cpu_time)
{
    return cpu_time ? process->machine.instructions : schedule_now(&process->schedule);
}

static void note_armed(struct process *process)
{
    bool armed = false;

    for (int which = 0; which < ITIMERS; which++) {
        armed |= process->itimers[which].deadline != WAIT_FOREVER;
    }
    for (const struct posix_timer *timer = process->timers; timer != NULL; timer = timer->next) {
        armed |= timer->deadline != WAIT_FOREVER;
    }
    process->timers_armed = armed;
}

static void take_earlier(const struct process *process, uint64_t now, uint64_t deadline,
                         bool cpu_time, bool running, uint64_t *earliest)
{
    if (deadline == WAIT_FOREVER || (cpu_time && !running)) {
        return;
    }
    if (cpu_time) {
        uint64_t used = process->machine.instructions;
        deadline = now + (deadline > used ? deadline - used : 0);
    }
    if (deadline < *earliest) {
        *earliest = deadline;
    }
}

uint64_t timer_next_expiry(const struct process *process, uint64_t now, bool running)
{
    uint64_t earliest = WAIT_FOREVER;

    if (!process->timers_armed) {
        return WAIT_FOREVER;
    }
    for (int which = 0; which < ITIMERS; which++) {
        take_earlier(process, now, process->itimers[which].deadline, which != ITIMER_REAL, running,
                     &earliest);
    }
    for (const struct posix_timer *timer = process->timers; timer != NULL; timer = timer->next) {
        take_earlier(process, now, timer->deadline, timer->cpu_time, running, &earliest);
    }
    return earliest;
}

/* The signal of an earlier expiry that has not been taken yet. */
static struct queued_signal *find_queued(struct signal_queue *queue,
                                         const struct posix_timer *timer)
{
    for (struct queued_signal *entry = queue->first; entry != NULL; entry = entry->next) {
        int32_t id;
        memcpy(&id, entry->info.fields, sizeof id);
        if (entry->info.code == INFO_CODE_TIMER && id == timer->id) {
            return entry;
        }
    }
    return NULL;
}

/* As Linux counts them: no more than fit. */
static int32_t add_overruns(int32_t overrun, uint64_t times)
{
    return times > (uint64_t)(INT32_MAX - overrun) ? INT32_MAX : overrun + (int32_t)times;
}

static void fire(struct process *process, struct posix_timer *timer, uint64_t times)
{
    struct thread *target = NULL;

    if (timer->notify == NOTIFY_NONE) {
        return;
    }
    if (timer->notify == NOTIFY_THREAD_ID) {
        target = thread_find(process, timer->tid);
        if (target == NULL) {
            return;
        }
    }
    struct queued_signal *queued =
        find_queued(target != NULL ? &target->signals : &process->signals, timer);
    if (queued != NULL) {
        timer->overrun = add_overruns(timer->overrun, times);
        memcpy(queued->info.fields + sizeof(int32_t), &timer->overrun, sizeof timer->overrun);
        return;
    }
    timer->overrun = add_overruns(0, times - 1);

    struct guest_siginfo info = {.signo = timer->signal, .code = INFO_CODE_TIMER};
    int32_t head[2] = {timer->id, timer->overrun};
    memcpy(info.fields, head, sizeof head);
    memcpy(info.fields + sizeof head, &timer->value, sizeof timer->value);
    if (target != NULL) {
        signal_send_thread(target, &info);
    } else {
        signal_send_process(process, &info);
    }
}

void timer_expire(struct process *process)
{
    if (!process->timers_armed) {
        return;
    }
    for (int which = 0; which < ITIMERS; which++) {
        struct interval_timer *timer = &process->itimers[which];
        uint64_t now = timer_now(process, which != ITIMER_REAL);
        if (now >= timer->deadline) {
            struct guest_siginfo info = {.signo = itimer_signals[which], .code = INFO_CODE_KERNEL};
            time_advance(&timer->deadline, timer->interval, now);
            signal_send_process(process, &info);
        }
    }
    for (struct posix_timer *timer = process->timers; timer != NULL; timer = timer->next) {
        uint64_t now = timer_now(process, timer->cpu_time);
        if (now >= timer->deadline) {
            fire(process, timer, time_advance(&timer->deadline, timer->interval, now));
        }
    }
    note_armed(process);
}

void timer_forget(struct process *process)
{
    while (process->timers != NULL) {
        struct posix_timer *next = process->timers->next;
        free(process->timers);
        process->timers = next;
    }
    for (int which = 0; which < ITIMERS; which++) {
        process->itimers[which].deadline = WAIT_FOREVER;
        process->itimers[which].interval = 0;
    }
    process->timers_armed = false;
}

static bool read_timeval(int64_t seconds, int64_t microseconds, uint64_t *nanoseconds)
{
    if (seconds < 0 || microseconds < 0 || microseconds >= 1000000) {
        return false;
    }
    *nanoseconds = (uint64_t)seconds >= WAIT_FOREVER / NANOSECONDS / 2
                       ? WAIT_FOREVER / 2
                       : (uint64_t)seconds * NANOSECONDS + (uint64_t)microseconds * 1000;
    return true;
}

static uint64_t remaining(uint64_t deadline, uint64_t now)
{
    if (deadline == WAIT_FOREVER) {
        return 0;
    }
    /* One that is due but not yet delivered is still running. */
    return deadline > now ? deadline - now : 1;
}

static bool write_itimer(struct thread *thread, guest_addr address, int which)
{
    struct process *process = thread->process;
    const struct interval_timer *timer = &process->itimers[which];
    uint64_t left = remaining(timer->deadline, timer_now(process, which != ITIMER_REAL));

    if (left != 0 && left < 1000) {
        left = 1000;
    }
    struct guest_itimerval guest = {
        .interval_seconds = (int64_t)(timer->interval / NANOSECONDS),
        .interval_microseconds = (int64_t)(timer->interval % NANOSECONDS / 1000),
        .value_seconds = (int64_t)(left / NANOSECONDS),
        .value_microseconds = (int64_t)(left % NANOSECONDS / 1000),
    };
    return thread_write(thread, address, &guest, sizeof guest);
}

int64_t sys_getitimer(struct thread *thread, const uint64_t *arguments)
{
    if (arguments[0] >= ITIMERS) {
        return -EINVAL;
    }
    return write_itimer(thread, arguments[1], (int)arguments[0]) ? 0 : -EFAULT;
}

int64_t sys_setitimer(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    struct guest_itimerval guest = {0, 0, 0, 0};
    uint64_t interval, value;

    if (arguments[0] >= ITIMERS) {
        return -EINVAL;
    }
    int which = (int)arguments[0];
    if (arguments[1] != 0 && !thread_read(thread, &guest, arguments[1], sizeof guest)) {
        return -EFAULT;
    }
    if (!read_timeval(guest.interval_seconds, guest.interval_microseconds, &interval) ||
        !read_timeval(guest.value_seconds, guest.value_microseconds, &value)) {
        return -EINVAL;
    }
    if (arguments[2] != 0 && !write_itimer(thread, arguments[2], which)) {
        return -EFAULT;
    }
    process->itimers[which].interval = interval;
    process->itimers[which].deadline =
        value == 0 ? WAIT_FOREVER : timer_now(process, which != ITIMER_REAL) + value;
    note_armed(process);
    return 0;
}

static struct posix_timer *find_timer(const struct process *process, uint64_t id)
{
    struct posix_timer *timer = process->timers;

    while (timer != NULL && timer->id != (int32_t)id) {
        timer = timer->next;
    }
    return timer;
}

int64_t sys_timer_create(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    struct guest_sigevent event = {.signal = SIGALRM, .notify = NOTIFY_SIGNAL};
    int32_t clock = (int32_t)arguments[0];
    uint64_t unused;

    int error = time_read_clock(thread, clock, &unused);
    if (error != 0) {
        return error;
    }
    if (arguments[1] != 0 && !thread_read(thread, &event, arguments[1], sizeof event)) {
        return -EFAULT;
    }
    bool signals = event.notify == NOTIFY_SIGNAL || event.notify == NOTIFY_THREAD_ID;
    if ((!signals && event.notify != NOTIFY_NONE) ||
        (signals && (event.signal < 1 || event.signal > GUEST_SIGNALS)) ||
        (event.notify == NOTIFY_THREAD_ID && thread_find(process, event.tid) == NULL)) {
        return -EINVAL;
    }
    struct posix_timer *timer = calloc(1, sizeof *timer);
    if (timer == NULL) {
        return -EAGAIN;
    }
    timer->id = process->next_timer;
    timer->clock = clock;
    timer->cpu_time =
        clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
    timer->notify = event.notify;
    timer->signal = event.signal;
    timer->tid = event.tid;
    timer->value = arguments[1] != 0 ? event.value : (uint64_t)timer->id;
    timer->deadline = WAIT_FOREVER;
    if (!thread_write(thread, arguments[2], &timer->id, sizeof timer->id)) {
        free(timer);
        return -EFAULT;
    }
    process->next_timer++;
    timer->next = process->timers;
    process->timers = timer;
    return 0;
}

static bool write_itimerspec(struct thread *thread, guest_addr address,
                             const struct posix_timer *timer)
{
    uint64_t now = timer_now(thread->process, timer->cpu_time);
    struct guest_itimerspec guest = {
        .interval = time_to_timespec(timer->interval),
        .value = time_to_timespec(remaining(timer->deadline, now)),
    };
    return thread_write(thread, address, &guest, sizeof guest);
}

int64_t sys_timer_gettime(struct thread *thread, const uint64_t *arguments)
{
    const struct posix_timer *timer = find_timer(thread->process, arguments[0]);

    if (timer == NULL) {
        return -EINVAL;
    }
    return write_itimerspec(thread, arguments[1], timer) ? 0 : -EFAULT;
}

int64_t sys_timer_settime(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    struct posix_timer *timer = find_timer(process, arguments[0]);
    uint64_t interval, value;

    if (timer == NULL || arguments[2] == 0) {
        return -EINVAL;
    }
    int error = time_read_timespec(thread, arguments[2], &interval);
    if (error == 0) {
        error = time_read_timespec(thread, arguments[2] + offsetof(struct guest_itimerspec, value),
                                   &value);
    }
    if (error != 0) {
        return error;
    }
    if (arguments[3] != 0 && !write_itimerspec(thread, arguments[3], timer)) {
        return -EFAULT;
    }
    timer->interval = interval;
    timer->overrun = 0;
    if (value == 0) {
        timer->deadline = WAIT_FOREVER;
    } else if ((arguments[1] & ABSOLUTE) == 0) {
        uint64_t now = timer_now(process, timer->cpu_time);
        timer->deadline = value > WAIT_FOREVER - now ? WAIT_FOREVER : now + value;
    } else if (timer->cpu_time) {
        timer->deadline = value;
    } else {
        time_deadline(process, timer->clock, value, &timer->deadline);
    }
    note_armed(process);
    return 0;
}

int64_t sys_timer_getoverrun(struct thread *thread, const uint64_t *arguments)
{
    const struct posix_timer *timer = find_timer(thread->process, arguments[0]);

    return timer == NULL ? -EINVAL : timer->overrun;
}

int64_t sys_timer_delete(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    struct posix_timer *timer = find_timer(process, arguments[0]);

    if (timer == NULL) {
        return -EINVAL;
    }
    struct posix_timer **link = &process->timers;
    while (*link != timer) {
        link = &(*link)->next;
    }
    *link = timer->next;
    free(timer);
    note_armed(process);
    return 0;
}
