/* The guest's signals: queues, who takes which signal, and what happens when it does. */
#define _GNU_SOURCE
#include "machine/linux/signal.h"
#include "machine/linux/wait.h"

#include "base/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    INFO_CODE_KERNEL = 0x80, /* SI_KERNEL */
};

#define SIGNALS_SYNCHRONOUS                                                                        \
    (SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGTRAP) |         \
     SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGSYS))
#define SIGNALS_STOPPING                                                                           \
    (SIGNAL_BIT(SIGSTOP) | SIGNAL_BIT(SIGTSTP) | SIGNAL_BIT(SIGTTIN) | SIGNAL_BIT(SIGTTOU))
#define SIGNALS_HARMLESS                                                                           \
    (SIGNAL_BIT(SIGCHLD) | SIGNAL_BIT(SIGCONT) | SIGNAL_BIT(SIGURG) | SIGNAL_BIT(SIGWINCH))

bool signal_ignored(const struct process *process, int number)
{
    guest_addr handler = process->actions[number].handler;

    return handler == SIGNAL_IGNORE ||
           (handler == SIGNAL_DEFAULT && (SIGNALS_HARMLESS & SIGNAL_BIT(number)) != 0);
}

static guest_sigset waited_for(const struct thread *thread)
{
    return thread->task.state == TASK_WAITING && thread->wait.signal ? thread->wait.wait_set : 0;
}

/* Such a signal is kept even if its action is to ignore it. */
static guest_sigset held_back(const struct thread *thread)
{
    return thread->blocked | waited_for(thread);
}

void signal_forget(struct signal_queue *queue, guest_sigset numbers)
{
    struct queued_signal **link = &queue->first;

    queue->last = NULL;
    while (*link != NULL) {
        struct queued_signal *entry = *link;
        if ((numbers & SIGNAL_BIT(entry->info.signo)) != 0) {
            *link = entry->next;
            free(entry);
        } else {
            queue->last = entry;
            link = &entry->next;
        }
    }
    queue->pending &= ~numbers;
}

static void forget_everywhere(struct process *process, guest_sigset numbers)
{
    signal_forget(&process->signals, numbers);
    for (struct thread *thread = thread_first(process); thread != NULL;
         thread = thread_next(thread)) {
        signal_forget(&thread->signals, numbers);
    }
}

/* A standard signal that is pending already stays a single one. */
static void enqueue(struct signal_queue *queue, const struct guest_siginfo *info)
{
    guest_sigset bit = SIGNAL_BIT(info->signo);

    if (info->signo < SIGNAL_FIRST_REAL_TIME && (queue->pending & bit) != 0) {
        return;
    }
    struct queued_signal *entry = malloc(sizeof *entry);
    if (entry == NULL) {
        return;
    }
    entry->info = *info;
    entry->next = NULL;
    if (queue->last != NULL) {
        queue->last->next = entry;
    } else {
        queue->first = entry;
    }
    queue->last = entry;
    queue->pending |= bit;
}

/* A stop takes back a continuation that has not been delivered, and the other
 * way round. */
static void cancel_opposite(struct process *process, int number)
{
    if ((SIGNALS_STOPPING & SIGNAL_BIT(number)) != 0) {
        forget_everywhere(process, SIGNAL_BIT(SIGCONT));
    } else if (number == SIGCONT) {
        forget_everywhere(process, SIGNALS_STOPPING);
    }
}

void signal_send_thread(struct thread *thread, const struct guest_siginfo *info)
{
    cancel_opposite(thread->process, info->signo);
    if (signal_ignored(thread->process, info->signo) &&
        (held_back(thread) & SIGNAL_BIT(info->signo)) == 0) {
        return;
    }
    enqueue(&thread->signals, info);
}

void signal_send_process(struct process *process, const struct guest_siginfo *info)
{
    cancel_opposite(process, info->signo);
    /* As in Linux the first thread's mask decides. */
    if (signal_ignored(process, info->signo) &&
        (held_back(thread_first(process)) & SIGNAL_BIT(info->signo)) == 0) {
        return;
    }
    enqueue(&process->signals, info);
}

struct guest_siginfo signal_info_sent(int number, int code)
{
    struct guest_siginfo info = {.signo = number, .code = code};
    int32_t sender[2] = {(int32_t)getpid(), (int32_t)getuid()};

    memcpy(info.fields, sender, sizeof sender);
    return info;
}

static void force(struct thread *thread, const struct guest_siginfo *info)
{
    struct signal_action *action = &thread->process->actions[info->signo];
    guest_sigset bit = SIGNAL_BIT(info->signo);

    if ((thread->blocked & bit) != 0 || action->handler == SIGNAL_IGNORE) {
        action->handler = SIGNAL_DEFAULT;
        thread->blocked &= ~bit;
    }
    thread->faulted = true;
    enqueue(&thread->signals, info);
}

void signal_force(struct thread *thread, int number)
{
    struct guest_siginfo info = {.signo = number, .code = INFO_CODE_KERNEL};

    force(thread, &info);
}

void signal_fault(struct thread *thread, int number, int code, guest_addr address)
{
    struct guest_siginfo info = {.signo = number, .code = code};

    memcpy(info.fields, &address, sizeof address);
    force(thread, &info);
}

/* A signal to the process goes to the first thread that lets it through or
 * waits for it. */
static guest_sigset process_pending(const struct thread *thread)
{
    guest_sigset pending = thread->process->signals.pending;

    for (const struct thread *earlier = thread_first(thread->process);
         pending != 0 && earlier != thread; earlier = thread_next(earlier)) {
        if (earlier->task.state != TASK_EXITED) {
            pending &= earlier->blocked & ~waited_for(earlier);
        }
    }
    return pending;
}

guest_sigset signal_pending(const struct thread *thread)
{
    return thread->signals.pending | process_pending(thread);
}

/* Not in a counter's callback, nor between it and the instruction that it stood
 * before, which would be counted a second time if a handler came back to it. */
bool signal_must_wait(const struct thread *thread)
{
    return thread->hart.in_callback || thread->hart.skip_count_at == thread->hart.pc;
}

bool signal_deliverable(const struct thread *thread)
{
    guest_sigset any = thread->signals.pending | thread->process->signals.pending;

    if (LIKELY((any & ~thread->blocked) == 0) || thread->task.state == TASK_EXITED) {
        return false;
    }
    if (!thread->faulted && signal_must_wait(thread)) {
        return false;
    }
    return (signal_pending(thread) & ~thread->blocked) != 0;
}

static bool take_from(struct signal_queue *queue, guest_sigset wanted, struct guest_siginfo *info)
{
    guest_sigset ready = queue->pending & wanted;

    if (ready == 0) {
        return false;
    }
    if ((ready & SIGNALS_SYNCHRONOUS) != 0) {
        ready &= SIGNALS_SYNCHRONOUS;
    }
    int number = __builtin_ctzll(ready) + 1;
    struct queued_signal **link = &queue->first;
    struct queued_signal *previous = NULL;
    while (*link != NULL && (*link)->info.signo != number) {
        previous = *link;
        link = &previous->next;
    }
    struct queued_signal *entry = *link;
    ASSERT(entry != NULL);
    *info = entry->info;
    *link = entry->next;
    if (queue->last == entry) {
        queue->last = previous;
    }
    free(entry);

    queue->pending &= ~SIGNAL_BIT(number);
    for (entry = queue->first; entry != NULL; entry = entry->next) {
        if (entry->info.signo == number) {
            queue->pending |= SIGNAL_BIT(number);
        }
    }
    return true;
}

bool signal_take(struct thread *thread, guest_sigset wanted, struct guest_siginfo *info)
{
    return take_from(&thread->signals, wanted, info) ||
           take_from(&thread->process->signals, wanted & process_pending(thread), info);
}

static void act_by_default(struct thread *thread, int number)
{
    struct process *process = thread->process;
    guest_sigset bit = SIGNAL_BIT(number);

    if ((SIGNALS_HARMLESS & bit) != 0) {
        return;
    }
    if ((SIGNALS_STOPPING & bit) != 0) {
        signal_host_stop(process, number);
        return;
    }
    process->schedule.ended = true;
    process->exit_signal = number;
}

/* A handler runs: a call that was waiting ends, or is made anew when the
 * handler returns to its ecall. */
static void settle_call(struct thread *thread, const struct signal_action *action)
{
    if (thread->task.state != TASK_WAITING) {
        return;
    }
    bool restarts = thread->wait.always_restarts ||
                    (!thread->wait.never_restarts && (action->flags & GUEST_SA_RESTART) != 0);
    if (!restarts) {
        thread->hart.x[REGISTER_A0] = (uint64_t)(int64_t)-EINTR;
        thread->hart.pc += ECALL_BYTES;
    }
    wait_end(thread);
}

void signal_deliver(struct thread *thread)
{
    struct guest_siginfo info;

    if (!signal_take(thread, ~thread->blocked, &info)) {
        return;
    }
    if ((SIGNALS_SYNCHRONOUS & SIGNAL_BIT(info.signo)) != 0) {
        thread->faulted = false;
    }
    struct signal_action *action = &thread->process->actions[info.signo];
    if (action->handler == SIGNAL_IGNORE) {
        return;
    }
    if (action->handler == SIGNAL_DEFAULT) {
        act_by_default(thread, info.signo);
        return;
    }

    struct signal_action used = *action;
    if ((used.flags & GUEST_SA_RESETHAND) != 0) {
        action->handler = SIGNAL_DEFAULT;
        signal_host_mirror(thread->process, info.signo);
    }
    settle_call(thread, &used);
    guest_sigset saved = thread->restore_mask ? thread->restored_mask : thread->blocked;
    thread->restore_mask = false;
    if (!signal_enter(thread, &info, &used, saved)) {
        if (info.signo == SIGSEGV) {
            action->handler = SIGNAL_DEFAULT;
        }
        thread->blocked = saved;
        signal_force(thread, SIGSEGV);
        return;
    }
    thread->blocked |= used.mask;
    if ((used.flags & GUEST_SA_NODEFER) == 0) {
        thread->blocked |= SIGNAL_BIT(info.signo);
    }
    thread->blocked &= ~SIGNALS_UNBLOCKABLE;
}
