/* Threads of the simulated program: clone, exit, and what the kernel does for others when one ends. */
#define _GNU_SOURCE
#include "machine/linux/thread.h"

#include "base/check.h"
#include "machine/linux/futex.h"
#include "machine/linux/scheduling.h"
#include "machine/linux/signal.h"
#include "machine/linux/syscall.h"
#include "machine/linux/wait.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROBUST_LIMIT = 2048, /* as in the kernel: a list that the program damaged must end */
};

/* struct robust_list_head. */
struct guest_robust_head {
    guest_addr first;
    int64_t futex_offset;
    guest_addr pending;
};

struct thread *thread_create(struct process *process, pid_t tid)
{
    struct thread *thread = calloc(1, sizeof *thread);

    if (thread == NULL) {
        return NULL;
    }
    machine_init_hart(&process->machine, &thread->hart);
    thread->task =
        (struct task){.hart = &thread->hart, .thread = thread, .number = (int)(tid - process->pid)};
    thread->process = process;
    thread->tid = tid;
    thread->wait.deadline = WAIT_FOREVER;
    return thread;
}

void thread_destroy(struct thread *thread)
{
    wait_release_fds(thread);
    execve_forget(thread);
    signal_forget(&thread->signals, ~UINT64_C(0));
    machine_release_hart(&thread->process->machine, &thread->hart);
    free(thread);
}

struct thread *thread_find(const struct process *process, pid_t tid)
{
    for (struct thread *thread = thread_first(process); thread != NULL;
         thread = thread_next(thread)) {
        if (thread->tid == tid && thread->task.state != TASK_EXITED) {
            return thread;
        }
    }
    return NULL;
}

void thread_copy_registers(struct hart *to, const struct hart *from)
{
    memcpy(to->x, from->x, sizeof to->x);
    memcpy(to->f, from->f, sizeof to->f);
    to->pc = from->pc;
    to->rounding_mode = from->rounding_mode;
    to->float_flags = from->float_flags;
}

int64_t thread_clone(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    uint64_t flags = arguments[CLONE_ARGUMENT_FLAGS];
    const uint64_t needed = CLONE_VM | CLONE_SIGHAND;

    if ((flags & needed) != needed || (flags & CLONE_PIDFD) != 0) {
        return -EINVAL;
    }
    struct thread *child = thread_create(process, process->next_tid);
    if (child == NULL) {
        return -EAGAIN;
    }
    int32_t tid = child->tid;
    if ((flags & CLONE_PARENT_SETTID) != 0) {
        thread_write(thread, arguments[CLONE_ARGUMENT_PARENT_TID], &tid, sizeof tid);
    }
    if ((flags & CLONE_CHILD_SETTID) != 0) {
        thread_write(thread, arguments[CLONE_ARGUMENT_CHILD_TID], &tid, sizeof tid);
    }
    if ((flags & CLONE_CHILD_CLEARTID) != 0) {
        child->clear_child_tid = arguments[CLONE_ARGUMENT_CHILD_TID];
    }

    thread_copy_registers(&child->hart, &thread->hart);
    child->hart.pc += ECALL_BYTES;
    child->hart.x[REGISTER_A0] = 0;
    if (arguments[CLONE_ARGUMENT_STACK] != 0) {
        child->hart.x[REGISTER_SP] = arguments[CLONE_ARGUMENT_STACK];
    }
    if ((flags & CLONE_SETTLS) != 0) {
        child->hart.x[REGISTER_TP] = arguments[CLONE_ARGUMENT_TLS];
    }
    child->blocked = thread->blocked;
    memcpy(child->name, thread->name, sizeof child->name);
    scheduling_inherit(child, thread);

    schedule_add(&process->schedule, &child->task);
    process->next_tid++;
    process->threads_started++;
    thread_make_runnable(child);
    return tid;
}

/* The owner of this lock ends: whoever takes it next is told so. */
static void mark_owner_died(struct thread *thread, guest_addr address, bool inherits_priority)
{
    struct process *process = thread->process;
    uint32_t *word, value;

    if (address % sizeof value != 0 || !futex_usable(process, address, PAGE_READ | PAGE_WRITE)) {
        return;
    }
    word = memory_host(&process->machine.memory, address);
    value = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    do {
        if ((value & FUTEX_TID_MASK) != (uint32_t)thread->tid) {
            return;
        }
    } while (!__atomic_compare_exchange_n(word, &value, (value & FUTEX_WAITERS) | FUTEX_OWNER_DIED,
                                          false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    if ((value & FUTEX_WAITERS) != 0 && !inherits_priority) {
        futex_wake(process, address, 1, UINT32_MAX);
    }
}

/* The lowest bit of a link says that the lock inherits priority. */
static void walk_robust_list(struct thread *thread)
{
    struct guest_robust_head head;

    if (thread->robust_list == 0 || !thread_read(thread, &head, thread->robust_list, sizeof head)) {
        return;
    }
    guest_addr entry = head.first;
    for (int count = 0; count < ROBUST_LIMIT; count++) {
        guest_addr item = entry & ~UINT64_C(1), next;
        if (item == thread->robust_list) {
            break;
        }
        bool readable = thread_read(thread, &next, item, sizeof next);
        if (item != (head.pending & ~UINT64_C(1))) {
            mark_owner_died(thread, item + (uint64_t)head.futex_offset, (entry & 1) != 0);
        }
        if (!readable) {
            break;
        }
        entry = next;
    }
    if (head.pending != 0) {
        mark_owner_died(thread, (head.pending & ~UINT64_C(1)) + (uint64_t)head.futex_offset,
                        (head.pending & 1) != 0);
    }
}

void thread_announce_end(struct thread *thread)
{
    walk_robust_list(thread);
    thread->robust_list = 0;
    if (thread->clear_child_tid != 0) {
        int32_t none = 0;
        if (thread_write(thread, thread->clear_child_tid, &none, sizeof none)) {
            futex_wake(thread->process, thread->clear_child_tid, 1, UINT32_MAX);
        }
        thread->clear_child_tid = 0;
    }
}

int64_t sys_exit(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    const struct thread *first = thread_first(process);
    bool last = true;

    ASSERT(first != NULL);
    thread->exit_code = (int)(arguments[0] & 0xff);
    thread_announce_end(thread);
    thread->task.state = TASK_EXITED;
    for (const struct thread *other = first; other != NULL; other = thread_next(other)) {
        last &= other->task.state == TASK_EXITED;
    }
    if (last) {
        process->schedule.ended = true;
        process->exit_status = first->exit_code;
    }
    return SYSCALL_JUMPED;
}

int64_t sys_exit_group(struct thread *thread, const uint64_t *arguments)
{
    thread->process->schedule.ended = true;
    thread->process->exit_status = (int)(arguments[0] & 0xff);
    return SYSCALL_JUMPED;
}

int64_t sys_set_tid_address(struct thread *thread, const uint64_t *arguments)
{
    thread->clear_child_tid = arguments[0];
    return thread->tid;
}

int64_t sys_gettid(struct thread *thread, const uint64_t *arguments)
{
    (void)arguments;
    return thread->tid;
}

int64_t sys_set_robust_list(struct thread *thread, const uint64_t *arguments)
{
    if (arguments[1] != sizeof(struct guest_robust_head)) {
        return -EINVAL;
    }
    thread->robust_list = arguments[0];
    thread->robust_bytes = arguments[1];
    return 0;
}

int64_t sys_get_robust_list(struct thread *thread, const uint64_t *arguments)
{
    pid_t tid = (pid_t)arguments[0];
    const struct thread *target = tid == 0 ? thread : thread_find(thread->process, tid);
    uint64_t bytes = sizeof(struct guest_robust_head);

    if (target == NULL) {
        return -ESRCH;
    }
    if (!thread_write(thread, arguments[2], &bytes, sizeof bytes) ||
        !thread_write(thread, arguments[1], &target->robust_list, sizeof target->robust_list)) {
        return -EFAULT;
    }
    return 0;
}

int64_t sys_sched_yield(struct thread *thread, const uint64_t *arguments)
{
    (void)arguments;
    schedule_yield(&thread->process->schedule);
    return 0;
}
