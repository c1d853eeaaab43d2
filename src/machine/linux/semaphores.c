/* System V semaphores: the host's, with the waiting left to the scheduler. */
#include "machine/linux/files.h"
#include "machine/linux/queues.h"
#include "machine/linux/syscall.h"
#include "machine/linux/time.h"

#include <asm/ipcbuf.h>
#include <asm/sembuf.h>
#include <errno.h>
#include <linux/sem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* On x86-64 each of the two times has a word of padding, on RISC-V they have none. */
struct guest_semid_ds {
    struct ipc64_perm permissions;
    int64_t operated, changed;
    uint64_t count;
    uint64_t unused[2];
};

_Static_assert(sizeof(struct guest_semid_ds) == 88, "the generic 64-bit layout");

enum {
    /* More in one call than any kernel is set up for. */
    OPERATIONS_MAX = 32768,
    /* A value may change between two questions to the host; after so many times it does so for ever. */
    ATTEMPTS = 4,
};

/* wait.data: the semaphore that a call waits for, and what it waits for it to be. */
enum { DATA_NUMBER = QUEUE_OWN, DATA_ZERO };

/* The operations of a call, to be freed; NULL with *error set. */
static struct sembuf *load_operations(struct thread *thread, const uint64_t *arguments,
                                      int64_t *error)
{
    uint32_t count = (uint32_t)arguments[2];

    if (count < 1 || count > OPERATIONS_MAX || (int)arguments[0] < 0) {
        *error = count > OPERATIONS_MAX && (int)arguments[0] >= 0 ? -E2BIG : -EINVAL;
        return NULL;
    }
    struct sembuf *operations = malloc(count * sizeof *operations);
    *error = -ENOMEM;
    if (operations != NULL &&
        !thread_read(thread, operations, arguments[1], count * sizeof *operations)) {
        *error = -EFAULT;
        free(operations);
        operations = NULL;
    }
    return operations;
}

/* The first operation that cannot be done now, if those before it are; `count` if there is none.  Who may not read the
 * values cannot know: the first one then. */
static uint32_t find_blocking(int set, const struct sembuf *operations, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        long value = syscall(SYS_semctl, set, operations[i].sem_num, GETVAL, 0);
        if (value < 0) {
            return 0;
        }
        for (uint32_t j = 0; j < i; j++) {
            value += operations[j].sem_num == operations[i].sem_num ? operations[j].sem_op : 0;
        }
        if (operations[i].sem_op == 0 ? value != 0 : value + operations[i].sem_op < 0) {
            return i;
        }
    }
    return count;
}

static int64_t operate_without_waiting(int set, const struct sembuf *operations, uint32_t count)
{
    struct sembuf *changed = malloc(count * sizeof *changed);

    if (changed == NULL) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        changed[i] = operations[i];
        changed[i].sem_flg |= IPC_NOWAIT;
    }
    int64_t result = files_result(syscall(SYS_semop, set, changed, count));
    free(changed);
    return result;
}

static int64_t attempt(struct thread *thread, const uint64_t *arguments)
{
    int set = (int)arguments[0];
    uint32_t count = (uint32_t)arguments[2];
    int64_t result;
    struct sembuf *operations = load_operations(thread, arguments, &result);

    if (operations == NULL) {
        return result;
    }
    uint32_t blocking = count;
    for (int i = 0; i < ATTEMPTS && blocking == count; i++) {
        result = operate_without_waiting(set, operations, count);
        if (result != -EAGAIN) {
            break;
        }
        blocking = find_blocking(set, operations, count);
    }
    const struct sembuf *waits = &operations[blocking < count ? blocking : 0];
    if (result == -EAGAIN && (waits->sem_flg & IPC_NOWAIT) == 0) {
        thread->wait.data[DATA_NUMBER] = waits->sem_num;
        thread->wait.data[DATA_ZERO] = waits->sem_op == 0;
        result = SYSCALL_BLOCKS;
    }
    free(operations);
    return result;
}

static int64_t block(struct thread *thread, const uint64_t *arguments, uint64_t nanoseconds)
{
    struct timespec timeout = {.tv_sec = (time_t)(nanoseconds / NANOSECONDS),
                               .tv_nsec = (long)(nanoseconds % NANOSECONDS)};
    int64_t result;
    struct sembuf *operations = load_operations(thread, arguments, &result);

    if (operations == NULL) {
        return result;
    }
    result = files_result(
        syscall(SYS_semtimedop, (int)arguments[0], operations, (uint32_t)arguments[2], &timeout));
    free(operations);
    return result == -EAGAIN ? SYSCALL_BLOCKS : result;
}

static const struct queue_kind kind = {attempt, block};

int64_t sys_semop(struct thread *thread, const uint64_t *arguments)
{
    thread->wait.data[QUEUE_DEADLINE] = WAIT_FOREVER;
    return queues_call(thread, arguments, &kind);
}

int64_t sys_semtimedop(struct thread *thread, const uint64_t *arguments)
{
    uint64_t nanoseconds = WAIT_FOREVER;

    if (!thread->wait.resumed) {
        int error = arguments[3] == 0 ? 0 : time_read_timespec(thread, arguments[3], &nanoseconds);
        if (error != 0) {
            return error;
        }
        thread->wait.data[QUEUE_DEADLINE] = time_after(thread->process, nanoseconds);
    }
    return queues_call(thread, arguments, &kind);
}

/* Threads of this process that wait for the semaphore to become 0, or to become more: none of them waits in the host,
 * which does not count them. */
static int64_t count_waiters(const struct process *process, int set, uint64_t number, bool zero)
{
    int64_t count = 0;

    for (const struct thread *thread = thread_first(process); thread != NULL;
         thread = thread_next(thread)) {
        const struct thread_wait *wait = &thread->wait;
        count += thread->task.state == TASK_WAITING && wait->queue == &kind && !wait->served &&
                 (int)thread->hart.x[REGISTER_A0] == set && wait->data[DATA_NUMBER] == number &&
                 (wait->data[DATA_ZERO] != 0) == zero;
    }
    return count;
}

static int64_t show_set(struct thread *thread, const uint64_t *arguments)
{
    struct semid64_ds host;
    long result =
        syscall(SYS_semctl, (int)arguments[0], (int)arguments[1], (int)arguments[2], &host);

    if (result < 0) {
        return files_result(result);
    }
    struct guest_semid_ds guest = {.permissions = host.sem_perm,
                                   .operated = host.sem_otime,
                                   .changed = host.sem_ctime,
                                   .count = host.sem_nsems};
    return thread_write(thread, arguments[3], &guest, sizeof guest) ? result : -EFAULT;
}

static int64_t change_set(struct thread *thread, const uint64_t *arguments)
{
    struct guest_semid_ds guest;
    struct semid64_ds host;

    if (!thread_read(thread, &guest, arguments[3], sizeof guest)) {
        return -EFAULT;
    }
    memset(&host, 0, sizeof host);
    host.sem_perm = guest.permissions;
    return files_result(
        syscall(SYS_semctl, (int)arguments[0], (int)arguments[1], (int)arguments[2], &host));
}

int64_t sys_semctl(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    int set = (int)arguments[0], number = (int)arguments[1], command = (int)arguments[2];
    int64_t result;

    switch (command) {
    case IPC_STAT:
    case SEM_STAT:
    case SEM_STAT_ANY:
        return show_set(thread, arguments);
    case IPC_SET:
        return change_set(thread, arguments);
    case IPC_INFO:
    case SEM_INFO:
    case GETALL: /* the kernel's copy ends where the guest's space does, at the latest */
        return files_result(
            syscall(SYS_semctl, set, number, command, guest_pointer(thread, arguments[3])));
    case SETALL:
        result = files_result(
            syscall(SYS_semctl, set, number, command, guest_pointer(thread, arguments[3])));
        break;
    case GETNCNT:
    case GETZCNT:
        result = files_result(syscall(SYS_semctl, set, number, command, 0));
        return result < 0
                   ? result
                   : result + count_waiters(process, set, (uint64_t)number, command == GETZCNT);
    default:
        result = files_result(syscall(SYS_semctl, set, number, command, arguments[3]));
        break;
    }
    if (result >= 0) {
        queues_changed(process);
    }
    return result;
}
