/* New processes: fork by the host's own, with a copy of all memory or, for vfork, with the memory itself. */
#define _GNU_SOURCE
#include "machine/linux/scheduling.h"
#include "machine/linux/signal.h"
#include "machine/linux/syscall.h"
#include "machine/linux/sysinfo.h"
#include "machine/linux/thread.h"
#include "machine/linux/time.h"
#include "machine/units/code_classes.h"
#include "machine/units/profile.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    EXIT_SIGNAL = 0xff, /* in clone's flags */
};

/* What the host does with these flags is what the guest means by them. */
#define PASSED_FLAGS (EXIT_SIGNAL | CLONE_FS | CLONE_FILES | CLONE_IO | CLONE_PIDFD)
/* Name spaces and tracing are not among those that a new process may have. */
#define KNOWN_FLAGS                                                                                \
    (PASSED_FLAGS | CLONE_VM | CLONE_VFORK | CLONE_SIGHAND | CLONE_SYSVSEM | CLONE_SETTLS |        \
     CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_DETACHED)

/* In the child, right after it has begun: `thread` is all that is left. */
static void become_child(struct process *process, struct thread *thread, const uint64_t *arguments)
{
    uint64_t flags = arguments[CLONE_ARGUMENT_FLAGS];
    struct hart *hart = &thread->hart;

    signal_host_forget();
    process->pid = getpid();
    process->parent = 0;
    process->next_tid = process->pid + 1;
    schedule_fork(&process->schedule, &thread->task);
    process->forked = true;
    process->shares_memory = true;
    process->children = 0;
    sysinfo_separate_random(process);
    thread->tid = process->pid;
    thread->robust_list = 0;
    thread->clear_child_tid = 0;

    int32_t tid = thread->tid;
    if ((flags & CLONE_CHILD_SETTID) != 0) {
        thread_write(thread, arguments[CLONE_ARGUMENT_CHILD_TID], &tid, sizeof tid);
    }
    if ((flags & CLONE_CHILD_CLEARTID) != 0) {
        thread->clear_child_tid = arguments[CLONE_ARGUMENT_CHILD_TID];
    }
    if ((flags & CLONE_SETTLS) != 0) {
        hart->x[REGISTER_TP] = arguments[CLONE_ARGUMENT_TLS];
    }
    if (arguments[CLONE_ARGUMENT_STACK] != 0) {
        hart->x[REGISTER_SP] = arguments[CLONE_ARGUMENT_STACK];
    }
}

/* In the child the memory is a copy: what belongs to other threads goes. */
static void drop_others(struct process *process, const struct thread *kept)
{
    struct thread *thread = thread_first(process);

    while (thread != NULL) {
        struct thread *next = thread_next(thread);
        if (thread != kept) {
            thread_destroy(thread);
        }
        thread = next;
    }
    signal_forget(&process->signals, ~UINT64_C(0));
    timer_forget(process);
}

/* The host copies everything; CLONE_VFORK makes it hold the parent until the
 * child has ended or called execve. */
static int64_t fork_copy(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    uint64_t flags = arguments[CLONE_ARGUMENT_FLAGS] & (PASSED_FLAGS | CLONE_VFORK);

    schedule_dismiss_onlooker(&process->schedule);
    fflush(NULL);
    signal_host_hold();
    int32_t descriptor;
    long pid = syscall(SYS_clone, flags, NULL, &descriptor, NULL, NULL);
    if (pid > 0 && (flags & CLONE_PIDFD) != 0) {
        thread_write(thread, arguments[CLONE_ARGUMENT_PARENT_TID], &descriptor, sizeof descriptor);
    }
    if (pid == 0) {
        if (thread != thread_first(process)) {
            scheduling_fork(thread);
        }
        drop_others(process, thread);
        signal_forget(&thread->signals, ~UINT64_C(0));
        become_child(process, thread, arguments);
    }
    int error = errno;
    signal_host_release();
    return pid < 0 ? -error : pid;
}

/* The rest of a vfork child's life.  It runs above its parent's stack frames and
 * must not return into them. */
static _Noreturn void run_shared_child(struct process *process, struct thread *thread,
                                       const uint64_t *arguments)
{
    memset(&process->signals, 0, sizeof process->signals);
    process->timers = NULL;
    timer_forget(process);
    process->machine.unobserved = true; /* the pipeline is the parent's */
    become_child(process, thread, arguments);
    thread->hart.x[REGISTER_A0] = 0;
    thread->hart.pc += ECALL_BYTES;
    thread_make_runnable(thread);
    signal_host_release();
    schedule_loop(&process->schedule);
    process_leave(process);
}

static struct thread *copy_thread(const struct thread *thread)
{
    struct thread *copy = thread_create(thread->process, 0);

    if (copy != NULL) {
        thread_copy_registers(&copy->hart, &thread->hart);
        copy->blocked = thread->blocked;
        copy->alternate_stack = thread->alternate_stack;
        copy->alternate_bytes = thread->alternate_bytes;
        copy->alternate_flags = thread->alternate_flags;
        memcpy(copy->name, thread->name, sizeof copy->name);
    }
    return copy;
}

/* Gives a process back what it had before its child used it, but for what
 * describes the memory, which is still that of both. */
static void take_back(struct process *process, const struct process *before)
{
    struct process after = *process;

    signal_forget(&process->signals, ~UINT64_C(0));
    timer_forget(process);
    *process = *before;
    process->machine = after.machine;
    process->machine.unobserved = before->machine.unobserved;
    process->machine.phases = before->machine.phases;
    process->machine.instructions = before->machine.instructions;
    process->machine.idle_nanoseconds = before->machine.idle_nanoseconds;
    process->brk_start = after.brk_start;
    process->brk_end = after.brk_end;
    process->mmap_top = after.mmap_top;
}

/* posix_spawn and vfork: the child uses its parent's memory, this program's own
 * included, while the host holds the parent until the child has ended or called
 * execve. */
static int64_t fork_shared(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    struct process *before = malloc(sizeof *before);
    struct signal_notes *notes = signal_host_reserve();
    struct thread *child = copy_thread(thread);
    struct code_classes *classes = process->machine.classes;
    uint64_t totals[CODE_CLASSES];
    int64_t result = -ENOMEM;

    if (before != NULL && notes != NULL && child != NULL) {
        schedule_dismiss_onlooker(&process->schedule);
        signal_host_hold();
        signal_host_save(notes);
        *before = *process;
        if (classes != NULL) {
            code_classes_keep(classes, totals);
        }
        struct profile *profile = process->machine.profile;
        struct profile_kept *kept = profile != NULL ? profile_keep(profile) : NULL;
        /* All of this program's state that the child changes is put back. */
        pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
        if (pid == 0) {
            /* NOLINTNEXTLINE(clang-analyzer-unix.Vfork) */
            run_shared_child(process, child, arguments);
        }
        result = pid < 0 ? -errno : pid;
        if (pid > 0) {
            take_back(process, before);
            if (classes != NULL) {
                code_classes_put_back(classes, totals);
            }
        }
        if (kept != NULL) {
            profile_put_back(profile, kept);
        }
        signal_host_restore(notes);
        signal_host_release();
    }
    if (child != NULL) {
        thread_destroy(child);
    }
    free(notes);
    free(before);
    return result;
}

int64_t sys_clone(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    uint64_t flags = arguments[CLONE_ARGUMENT_FLAGS];

    if ((flags & CLONE_THREAD) != 0) {
        return thread_clone(thread, arguments);
    }
    /* Two processes that run at the same time in one memory are more than one
     * host thread can do. */
    bool shared = (flags & CLONE_VM) != 0;
    bool both_run = shared && (flags & CLONE_VFORK) == 0;
    /* The host's vfork does what this call is used for, and no more. */
    bool unusual = shared && (flags & PASSED_FLAGS) != SIGCHLD;
    bool two_words_in_one =
        (flags & CLONE_PIDFD) != 0 && (flags & (CLONE_PARENT_SETTID | CLONE_DETACHED)) != 0;
    if (both_run || unusual || two_words_in_one || (flags & ~(uint64_t)KNOWN_FLAGS) != 0 ||
        (!shared && (flags & CLONE_SIGHAND) != 0)) {
        return -EINVAL;
    }
    int64_t pid = shared ? fork_shared(thread, arguments) : fork_copy(thread, arguments);
    if (pid > 0) {
        int32_t tid = (int32_t)pid;
        process->children++;
        process->shares_memory = true;
        if ((flags & CLONE_PARENT_SETTID) != 0) {
            thread_write(thread, arguments[CLONE_ARGUMENT_PARENT_TID], &tid, sizeof tid);
        }
    }
    return pid;
}
