/* The simulated process: how it begins, waits for its children, and ends. */
#define _GNU_SOURCE
#include "machine/linux/process.h"

#include "machine/linux/files.h"
#include "machine/linux/signal.h"
#include "machine/linux/syscall.h"
#include "machine/linux/sysinfo.h"
#include "machine/linux/thread.h"
#include "machine/linux/time.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

bool process_create(struct process *process, const struct machine_options *options)
{
    memset(process, 0, sizeof *process);
    if (!machine_create(&process->machine, options)) {
        return false;
    }
    process->pid = getpid();
    process->next_tid = process->pid + 1;
    process->threads_started = 1;
    schedule_start(&process->schedule, &process->machine, process);
    struct thread *first = thread_create(process, process->pid);
    if (first != NULL) {
        schedule_add(&process->schedule, &first->task);
    }
    int error = first == NULL || !files_create(process)
                    ? -ENOMEM
                    : signal_map_trampoline(&process->machine.memory);
    if (error != 0) {
        fprintf(stderr, "strata: cannot start a process: %s\n", strerror(-error));
        process_destroy(process);
        return false;
    }
    timer_forget(process);
    time_start(process);
    sysinfo_start(process);
    thread_make_runnable(first);
    return true;
}

void process_destroy(struct process *process)
{
    timer_forget(process);
    signal_forget(&process->signals, ~UINT64_C(0));
    for (struct thread *thread = thread_first(process), *next; thread != NULL; thread = next) {
        next = thread_next(thread);
        thread_destroy(thread);
    }
    files_destroy(process);
    machine_destroy(&process->machine);
}

pid_t process_parent(const struct process *process)
{
    return process->parent != 0 ? process->parent : getppid();
}

/* Locks in shared memory outlive this process: those it holds must not be held
 * for ever. */
static void announce_all_ends(struct process *process)
{
    if (!process->shares_memory) {
        return;
    }
    for (struct thread *thread = thread_first(process); thread != NULL;
         thread = thread_next(thread)) {
        if (thread->task.state != TASK_EXITED) {
            thread_announce_end(thread);
        }
    }
}

_Noreturn void process_leave(struct process *process)
{
    announce_all_ends(process);
    fflush(NULL);
    if (process->exit_signal != 0) {
        signal_host_die(process->exit_signal);
    }
    _exit(process->exit_status);
}

/* The host has told of a child's end. */
static void count_reaped(struct process *process)
{
    if (process->children > 0) {
        process->children--;
    }
}

static int64_t wait_for_child(struct thread *thread)
{
    thread->wait.child = true;
    return SYSCALL_BLOCKS;
}

int64_t sys_wait4(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    pid_t which = (pid_t)arguments[0];
    struct rusage usage;
    int status = 0;

    long pid = syscall(SYS_wait4, which, &status, (int)arguments[2] | WNOHANG, &usage);
    if (pid < 0) {
        if (errno == ECHILD && which == -1) {
            process->children = 0;
        }
        return -errno;
    }
    if (pid == 0) {
        return (arguments[2] & WNOHANG) != 0 ? 0 : wait_for_child(thread);
    }
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
        count_reaped(process);
    }
    if (arguments[1] != 0 && !thread_write(thread, arguments[1], &status, sizeof status)) {
        return -EFAULT;
    }
    /* struct rusage is the same in all 64-bit Linux ABIs. */
    if (arguments[3] != 0 && !thread_write(thread, arguments[3], &usage, sizeof usage)) {
        return -EFAULT;
    }
    return pid;
}

int64_t sys_waitid(struct thread *thread, const uint64_t *arguments)
{
    struct rusage usage;
    siginfo_t info;
    int options = (int)arguments[3];

    memset(&info, 0, sizeof info);
    memset(&usage, 0, sizeof usage);
    if (syscall(SYS_waitid, (int)arguments[0], (pid_t)arguments[1], &info, options | WNOHANG,
                &usage) != 0) {
        return -errno;
    }
    if (info.si_pid == 0 && (options & WNOHANG) == 0) {
        /* The host was told not to wait, and cannot say that the descriptor forbids it. */
        bool forbidden =
            (int)arguments[0] == P_PIDFD && (fcntl((int)arguments[1], F_GETFL) & O_NONBLOCK) != 0;
        return forbidden ? -EAGAIN : wait_for_child(thread);
    }
    bool ended =
        info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED;
    if (info.si_pid != 0 && ended && (options & WNOWAIT) == 0) {
        count_reaped(thread->process);
    }
    /* The kernel writes only the fields it has: the rest stays as it was. */
    struct guest_siginfo guest;
    if (arguments[2] != 0) {
        if (!thread_read(thread, &guest, arguments[2], sizeof guest)) {
            return -EFAULT;
        }
        int32_t fields[3] = {info.si_pid, (int32_t)info.si_uid, info.si_status};
        guest.signo = info.si_signo;
        guest.error = 0;
        guest.code = info.si_code;
        memcpy(guest.fields, fields, sizeof fields);
        if (!thread_write(thread, arguments[2], &guest, sizeof guest)) {
            return -EFAULT;
        }
    }
    if (arguments[4] != 0 && !thread_write(thread, arguments[4], &usage, sizeof usage)) {
        return -EFAULT;
    }
    return 0;
}
