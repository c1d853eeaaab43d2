/* The host's signals to this process: noted by one handler, passed on to the guest between instructions. */
#define _GNU_SOURCE
#include "machine/linux/signal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Must be a power of two.  Standard signals cannot fill it, since a second one
 * of the same number is the same signal; real-time ones beyond it are lost. */
#define NOTES 256

/* The handler writes `info` and `written`, everyone else only `read`. */
struct signal_notes {
    siginfo_t info[NOTES];
    volatile unsigned written;
    volatile unsigned read;
};

/* A signal handler has no argument to find its state by. */
static struct signal_notes notes;

/* Whose SIGSEGV and SIGBUS are when an instruction of the guest caused them. */
static void (*fault_handler)(int, siginfo_t *, void *);

static bool can_be_fault(int number)
{
    return number == SIGSEGV || number == SIGBUS;
}

/* 32 and 33 are the host libc's own. */
static bool can_be_caught(int number)
{
    return number != SIGKILL && number != SIGSTOP && !can_be_fault(number) && number != 32 &&
           number != 33;
}

static void note(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    (void)context;

    if (info->si_code > 0 && info->si_code != SI_KERNEL &&
        (number == SIGILL || number == SIGFPE || number == SIGTRAP)) {
        /* This program's own fault: let it die of it. */
        signal(number, SIG_DFL);
    } else if (notes.written - notes.read < NOTES) {
        /* Taken first: another signal may come in between. */
        unsigned place = notes.written++;
        notes.info[place % NOTES] = *info;
    }
    errno = saved_errno;
}

static void note_unless_fault(int number, siginfo_t *info, void *context)
{
    if (info->si_code <= 0) {
        note(number, info, context);
    } else {
        fault_handler(number, info, context);
    }
}

/* As it was installed, a fault is left by a jump that keeps the mask. */
static void stand_before_faults(int number)
{
    struct sigaction action;

    sigaction(number, NULL, &action);
    if ((action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction != note_unless_fault) {
        fault_handler = action.sa_sigaction;
        action.sa_sigaction = note_unless_fault;
        sigaction(number, &action, NULL);
    }
}

static void catch_signal(int number, int flags)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_sigaction = note;
    action.sa_flags = SA_SIGINFO | flags;
    sigfillset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void signal_host_mirror(const struct process *process, int number)
{
    const struct signal_action *action = &process->actions[number];

    if (!process->hosted || !can_be_caught(number)) {
        return;
    }
    if (number == SIGCHLD) {
        /* Always caught, since it ends waits for children. */
        bool reap = action->handler == SIGNAL_IGNORE || (action->flags & GUEST_SA_NOCLDWAIT) != 0;
        catch_signal(number, reap ? SA_NOCLDWAIT : 0);
    } else if (action->handler == SIGNAL_IGNORE) {
        signal(number, SIG_IGN);
    } else {
        catch_signal(number, 0);
    }
}

/* Nothing is let through before its handler stands. */
void signal_host_install(struct process *process)
{
    struct thread *thread = thread_first(process);
    sigset_t outside;

    sigprocmask(SIG_BLOCK, NULL, &outside);
    signal_host_hold();
    process->hosted = true;
    for (int number = 1; number <= GUEST_SIGNALS; number++) {
        struct sigaction action;
        if (!can_be_caught(number) || sigaction(number, NULL, &action) != 0) {
            continue;
        }
        if (sigismember(&outside, number) == 1) {
            thread->blocked |= SIGNAL_BIT(number);
        }
        if (action.sa_handler == SIG_IGN) {
            process->actions[number].handler = SIGNAL_IGNORE;
        }
        signal_host_mirror(process, number);
    }
    stand_before_faults(SIGSEGV);
    stand_before_faults(SIGBUS);
    signal_host_release();
}

/* Who sends a signal may send it to the process and, at once, to its group (timeout(1) does): these are one
 * wish.  A person who wants it all to end at once needs longer. */
#define IMPATIENT_NANOSECONDS INT64_C(200000000)

/* A signal handler has no argument to find its state by. */
static struct timespec ended_at;

static void leave_if_impatient(int number)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if ((now.tv_sec - ended_at.tv_sec) * INT64_C(1000000000) + (now.tv_nsec - ended_at.tv_nsec) >=
        IMPATIENT_NANOSECONDS) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

void signal_host_end(const struct process *process)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP};

    clock_gettime(CLOCK_MONOTONIC, &ended_at);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (process->actions[numbers[i]].handler != SIGNAL_IGNORE) {
            struct sigaction action = {.sa_handler = leave_if_impatient};
            sigaction(numbers[i], &action, NULL);
        }
    }
}

void signal_host_leave(void)
{
    sigset_t all;

    for (int number = 1; number <= GUEST_SIGNALS; number++) {
        struct sigaction action;
        if (can_be_caught(number) && sigaction(number, NULL, &action) == 0 &&
            action.sa_handler != SIG_IGN) {
            signal(number, SIG_DFL);
        }
    }
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
}

void signal_host_install_again(struct process *process)
{
    for (int number = 1; number <= GUEST_SIGNALS; number++) {
        signal_host_mirror(process, number);
    }
    signal_host_release();
}

/* The host keeps them for the next program. */
static void give_back(struct signal_queue *queue)
{
    for (const struct queued_signal *entry = queue->first; entry != NULL; entry = entry->next) {
        siginfo_t info;
        memcpy(&info, &entry->info, sizeof info);
        syscall(SYS_rt_sigqueueinfo, getpid(), info.si_signo, &info);
    }
    signal_forget(queue, ~UINT64_C(0));
}

/* A pending signal whose handler goes away with this program takes its default
 * action at once, a moment earlier than it would after the execve. */
void signal_host_prepare_exec(struct thread *thread)
{
    sigset_t blocked;

    signal_host_hold();
    signal_host_collect(thread->process);
    give_back(&thread->process->signals);
    give_back(&thread->signals);
    sigemptyset(&blocked);
    for (int number = 1; number <= GUEST_SIGNALS; number++) {
        if (!can_be_caught(number)) {
            continue;
        }
        if ((thread->blocked & SIGNAL_BIT(number)) != 0) {
            sigaddset(&blocked, number);
        }
        bool ignored = thread->process->actions[number].handler == SIGNAL_IGNORE;
        signal(number, ignored ? SIG_IGN : SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, &blocked, NULL);
}

bool signal_host_noted(void)
{
    return notes.written != notes.read;
}

static void pass_on(struct process *process, const siginfo_t *host)
{
    struct guest_siginfo info;

    if (host->si_signo == SIGCHLD) {
        for (struct thread *thread = thread_first(process); thread != NULL;
             thread = thread_next(thread)) {
            thread->wait.woken |= thread->wait.child;
        }
        bool ended = host->si_code != CLD_STOPPED && host->si_code != CLD_CONTINUED;
        if (!ended && (process->actions[SIGCHLD].flags & GUEST_SA_NOCLDSTOP) != 0) {
            return;
        }
    }
    /* Both are of the generic 64-bit layout. */
    _Static_assert(sizeof info == sizeof *host, "siginfo_t");
    memcpy(&info, host, sizeof info);

    /* A host call of the running thread caused these. */
    bool own = host->si_signo == SIGPIPE || host->si_signo == SIGXFSZ;
    if (own && host->si_pid == process->pid && process->schedule.current != NULL) {
        signal_send_thread(process->schedule.current->thread, &info);
    } else {
        signal_send_process(process, &info);
    }
}

void signal_host_collect(struct process *process)
{
    while (signal_host_noted()) {
        siginfo_t info = notes.info[notes.read % NOTES];
        notes.read++;
        pass_on(process, &info);
    }
}

int signal_host_wait(struct pollfd *fds, unsigned count, uint64_t nanoseconds)
{
    struct timespec timeout = {
        .tv_sec = (time_t)(nanoseconds / UINT64_C(1000000000)),
        .tv_nsec = (long)(nanoseconds % UINT64_C(1000000000)),
    };
    sigset_t none;
    int ready = -1;

    sigemptyset(&none);
    signal_host_hold();
    if (!signal_host_noted()) {
        ready = ppoll(fds, count, nanoseconds == WAIT_FOREVER ? NULL : &timeout, &none);
    } else {
        errno = EINTR;
    }
    int saved_errno = errno;
    signal_host_release();
    errno = saved_errno;
    return ready;
}

/* Synchronous faults stay unblocked: the host would kill the process. */
void signal_host_hold(void)
{
    sigset_t all;

    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigprocmask(SIG_SETMASK, &all, NULL);
}

void signal_host_release(void)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void signal_host_forget(void)
{
    notes.read = notes.written;
}

struct signal_notes *signal_host_reserve(void)
{
    return malloc(sizeof(struct signal_notes));
}

void signal_host_save(struct signal_notes *copy)
{
    memcpy(copy, &notes, sizeof *copy);
}

void signal_host_restore(const struct signal_notes *copy)
{
    memcpy(&notes, copy, sizeof notes);
}

void signal_host_stop(struct process *process, int number)
{
    sigset_t none;

    if (number != SIGSTOP) {
        signal(number, SIG_DFL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    syscall(SYS_kill, getpid(), number);
    signal_host_mirror(process, number);
}

_Noreturn void signal_host_die(int number)
{
    struct rlimit no_core = {0, 0};
    sigset_t none;

    setrlimit(RLIMIT_CORE, &no_core);
    if (number != SIGKILL) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = SIG_DFL;
        sigaction(number, &action, NULL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    syscall(SYS_kill, getpid(), number);
    /* Only a signal without a fatal default action gets here. */
    _exit(128 + number);
}
