/* Finds and runs the handler of a system call, and says once per number which calls do not exist. */
#define _GNU_SOURCE
#include "machine/linux/syscall.h"

#include "machine/linux/wait.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct syscall_row {
    const char *name;
    syscall_handler handler; /* NULL: the call does not exist here */
    bool optional;
};

static const struct syscall_row rows[] = {
#define SYSCALL(number, name, handler) [number] = {#name, handler, false},
#define MISSING_SYSCALL(number, name) [number] = {#name, NULL, false},
#define OPTIONAL_SYSCALL(number, name) [number] = {#name, NULL, true},
#include "machine/linux/syscalls.def"
};

#define ROWS (sizeof rows / sizeof rows[0])

_Static_assert(ROWS < sizeof((struct process *)0)->warned_syscalls / sizeof(bool),
               "every row has its own warning");

static int64_t reject_call(struct process *process, uint64_t number)
{
    const char *name = number < ROWS ? rows[number].name : NULL;

    if (number < ROWS && rows[number].optional) {
        return -ENOSYS;
    }
    /* Numbers that Linux does not have either share the last flag. */
    const size_t last = sizeof process->warned_syscalls / sizeof(bool) - 1;
    bool *warned = &process->warned_syscalls[number < last ? number : last];
    if (*warned) {
        return -ENOSYS;
    }
    *warned = true;
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    fprintf(stderr, "strata: system call %s (%s) is not implemented; the program gets ENOSYS\n",
            name != NULL ? name : digits, digits);
    return -ENOSYS;
}

int64_t syscall_dispatch(struct thread *thread)
{
    struct hart *hart = &thread->hart;
    uint64_t number = hart->x[REGISTER_A7];
    bool again = thread->task.state == TASK_WAITING;

    if (again) {
        thread->wait.resumed = true;
        wait_release_fds(thread);
    } else {
        memset(&thread->wait, 0, sizeof thread->wait);
        thread->wait.deadline = WAIT_FOREVER;
        thread->process->syscalls++;
        hart->reserved = false;
    }

    int64_t result;
    if (number < ROWS && rows[number].handler != NULL) {
        result = rows[number].handler(thread, &hart->x[REGISTER_A0]);
    } else {
        result = reject_call(thread->process, number);
    }

    if (result == SYSCALL_INTERRUPTED) {
        thread->wait.deadline = 0;
        result = SYSCALL_BLOCKS;
    }
    if (result == SYSCALL_BLOCKS) {
        thread->task.state = TASK_WAITING;
        return result;
    }
    if (again) {
        wait_end(thread);
    }
    if (result == SYSCALL_JUMPED) {
        return result;
    }
    if (thread->restore_mask) {
        thread->restore_mask = false;
        thread->blocked = thread->restored_mask;
    }
    hart->x[REGISTER_A0] = (uint64_t)result;
    hart->pc += ECALL_BYTES;
    return result;
}
