/* The system calls that send, block, await and handle signals. */
#define _GNU_SOURCE
#include "machine/linux/signal.h"
#include "machine/linux/syscall.h"
#include "machine/linux/thread.h"
#include "machine/linux/time.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    MASK_BLOCK = 0,   /* SIG_BLOCK */
    MASK_UNBLOCK = 1, /* SIG_UNBLOCK */
    MASK_SET = 2,     /* SIG_SETMASK */
};

/* struct sigaction of the kernel; RISC-V has no restorer. */
struct guest_sigaction {
    guest_addr handler;
    uint64_t flags;
    guest_sigset mask;
};

/* The flags that Linux knows: it clears all others, so that a program can see
 * what is supported. */
#define SIGACTION_FLAGS                                                                            \
    (GUEST_SA_NOCLDSTOP | GUEST_SA_NOCLDWAIT | GUEST_SA_SIGINFO | GUEST_SA_ONSTACK |               \
     GUEST_SA_RESTART | GUEST_SA_NODEFER | GUEST_SA_RESETHAND | UINT64_C(0x800))

static bool valid_signal(uint64_t number)
{
    return (int32_t)number >= 1 && (int32_t)number <= GUEST_SIGNALS;
}

int64_t sys_rt_sigaction(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    struct guest_sigaction guest;

    if (arguments[3] != sizeof(guest_sigset) || !valid_signal(arguments[0])) {
        return -EINVAL;
    }
    int number = (int)arguments[0];
    struct signal_action *action = &process->actions[number];
    struct signal_action old = *action;

    if (arguments[1] != 0) {
        if (!thread_read(thread, &guest, arguments[1], sizeof guest)) {
            return -EFAULT;
        }
        if (number == SIGKILL || number == SIGSTOP) {
            return -EINVAL;
        }
        action->handler = guest.handler;
        action->flags = guest.flags & SIGACTION_FLAGS;
        action->mask = guest.mask & ~SIGNALS_UNBLOCKABLE;
        if (signal_ignored(process, number)) {
            signal_forget(&process->signals, SIGNAL_BIT(number));
            for (struct thread *other = thread_first(process); other != NULL;
                 other = thread_next(other)) {
                signal_forget(&other->signals, SIGNAL_BIT(number));
            }
        }
        signal_host_mirror(process, number);
    }
    if (arguments[2] != 0) {
        guest.handler = old.handler;
        guest.flags = old.flags;
        guest.mask = old.mask;
        if (!thread_write(thread, arguments[2], &guest, sizeof guest)) {
            return -EFAULT;
        }
    }
    return 0;
}

int64_t sys_rt_sigprocmask(struct thread *thread, const uint64_t *arguments)
{
    guest_sigset old = thread->blocked;
    guest_sigset set;

    if (arguments[3] != sizeof set) {
        return -EINVAL;
    }
    if (arguments[1] != 0) {
        if (!thread_read(thread, &set, arguments[1], sizeof set)) {
            return -EFAULT;
        }
        set &= ~SIGNALS_UNBLOCKABLE;
        switch ((int32_t)arguments[0]) {
        case MASK_BLOCK:
            thread->blocked |= set;
            break;
        case MASK_UNBLOCK:
            thread->blocked &= ~set;
            break;
        case MASK_SET:
            thread->blocked = set;
            break;
        default:
            return -EINVAL;
        }
    }
    if (arguments[2] != 0 && !thread_write(thread, arguments[2], &old, sizeof old)) {
        return -EFAULT;
    }
    return 0;
}

int64_t sys_rt_sigpending(struct thread *thread, const uint64_t *arguments)
{
    guest_sigset set =
        (thread->signals.pending | thread->process->signals.pending) & thread->blocked;

    if (arguments[1] > sizeof set) {
        return -EINVAL;
    }
    return thread_write(thread, arguments[0], &set, arguments[1]) ? 0 : -EFAULT;
}

int64_t sys_rt_sigsuspend(struct thread *thread, const uint64_t *arguments)
{
    guest_sigset set;

    if (thread->wait.resumed) {
        return SYSCALL_BLOCKS;
    }
    if (arguments[1] != sizeof set) {
        return -EINVAL;
    }
    if (!thread_read(thread, &set, arguments[0], sizeof set)) {
        return -EFAULT;
    }
    thread->restored_mask = thread->blocked;
    thread->restore_mask = true;
    thread->blocked = set & ~SIGNALS_UNBLOCKABLE;
    thread->wait.never_restarts = true;
    return SYSCALL_BLOCKS;
}

int64_t sys_rt_sigtimedwait(struct thread *thread, const uint64_t *arguments)
{
    struct thread_wait *wait = &thread->wait;
    struct guest_siginfo info;

    if (!wait->resumed) {
        if (arguments[3] != sizeof wait->wait_set) {
            return -EINVAL;
        }
        if (!thread_read(thread, &wait->wait_set, arguments[0], sizeof wait->wait_set)) {
            return -EFAULT;
        }
        wait->wait_set &= ~SIGNALS_UNBLOCKABLE;
        wait->never_restarts = true;
        if (arguments[2] != 0) {
            uint64_t nanoseconds;
            int error = time_read_timespec(thread, arguments[2], &nanoseconds);
            if (error != 0) {
                return error;
            }
            wait->deadline = time_after(thread->process, nanoseconds);
        }
    }
    if (signal_take(thread, wait->wait_set, &info)) {
        if (arguments[1] != 0 && !thread_write(thread, arguments[1], &info, sizeof info)) {
            return -EFAULT;
        }
        return info.signo;
    }
    if (schedule_now(&thread->process->schedule) >= wait->deadline) {
        return -EAGAIN;
    }
    wait->signal = true;
    return SYSCALL_BLOCKS;
}

int64_t sys_kill(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    pid_t pid = (pid_t)arguments[0];
    int number = (int)arguments[1];

    if (pid != process->pid && thread_find(process, pid) == NULL) {
        return syscall(SYS_kill, pid, number) == 0 ? 0 : -errno;
    }
    if (number == 0) {
        return 0;
    }
    if (!valid_signal(arguments[1])) {
        return -EINVAL;
    }
    struct guest_siginfo info = signal_info_sent(number, SI_USER);
    signal_send_process(process, &info);
    return 0;
}

static int64_t send_to_thread(struct process *process, pid_t pid, pid_t tid, int number,
                              const struct guest_siginfo *info)
{
    if (tid <= 0 || pid == 0 || pid < -1) {
        return -EINVAL;
    }
    struct thread *target = thread_find(process, tid);
    if (target == NULL || (pid != -1 && pid != process->pid)) {
        if (pid == process->pid) {
            return -ESRCH;
        }
        /* Threads of other processes than their first have numbers of which the
         * host knows nothing: their process takes the signal. */
        return syscall(SYS_kill, pid == -1 ? tid : pid, number) == 0 ? 0 : -errno;
    }
    if (number < 0 || number > GUEST_SIGNALS) {
        return -EINVAL;
    }
    if (number != 0) {
        signal_send_thread(target, info);
    }
    return 0;
}

int64_t sys_tkill(struct thread *thread, const uint64_t *arguments)
{
    struct guest_siginfo info = signal_info_sent((int)arguments[1], SI_TKILL);

    return send_to_thread(thread->process, -1, (pid_t)arguments[0], (int)arguments[1], &info);
}

int64_t sys_tgkill(struct thread *thread, const uint64_t *arguments)
{
    struct guest_siginfo info = signal_info_sent((int)arguments[2], SI_TKILL);

    if ((pid_t)arguments[0] <= 0) {
        return -EINVAL;
    }
    return send_to_thread(thread->process, (pid_t)arguments[0], (pid_t)arguments[1],
                          (int)arguments[2], &info);
}

/* The sender's own siginfo; only to oneself may it look like the kernel's. */
static int read_info(struct thread *thread, guest_addr address, uint64_t number, pid_t target,
                     struct guest_siginfo *info)
{
    if (!thread_read(thread, info, address, sizeof *info)) {
        return -EFAULT;
    }
    info->signo = (int32_t)number;
    if ((info->code >= 0 || info->code == SI_TKILL) && target != thread->process->pid) {
        return -EPERM;
    }
    return 0;
}

int64_t sys_rt_sigqueueinfo(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    pid_t pid = (pid_t)arguments[0];
    struct guest_siginfo info;

    int error = read_info(thread, arguments[2], arguments[1], pid, &info);
    if (error != 0) {
        return error;
    }
    if (pid != process->pid) {
        siginfo_t host;
        memcpy(&host, &info, sizeof host);
        return syscall(SYS_rt_sigqueueinfo, pid, info.signo, &host) == 0 ? 0 : -errno;
    }
    if (info.signo != 0) {
        if (!valid_signal(arguments[1])) {
            return -EINVAL;
        }
        signal_send_process(process, &info);
    }
    return 0;
}

int64_t sys_rt_tgsigqueueinfo(struct thread *thread, const uint64_t *arguments)
{
    struct guest_siginfo info;
    int error = read_info(thread, arguments[3], arguments[2], (pid_t)arguments[0], &info);

    if (error != 0) {
        return error;
    }
    if ((pid_t)arguments[0] <= 0) {
        return -EINVAL;
    }
    return send_to_thread(thread->process, (pid_t)arguments[0], (pid_t)arguments[1], info.signo,
                          &info);
}

int64_t sys_sigaltstack(struct thread *thread, const uint64_t *arguments)
{
    guest_addr stack_pointer = thread->hart.x[REGISTER_SP];
    struct guest_stack old = signal_alternate_stack(thread, stack_pointer);
    struct guest_stack stack;

    if (arguments[0] != 0) {
        if (!thread_read(thread, &stack, arguments[0], sizeof stack)) {
            return -EFAULT;
        }
        int error = signal_set_alternate_stack(thread, &stack, stack_pointer);
        if (error != 0) {
            return error;
        }
    }
    if (arguments[1] != 0 && !thread_write(thread, arguments[1], &old, sizeof old)) {
        return -EFAULT;
    }
    return 0;
}
