/* Futexes: threads that sleep until another says that a word of memory has changed. */
#define _GNU_SOURCE
#include "machine/linux/futex.h"

#include "machine/linux/syscall.h"
#include "machine/linux/thread.h"
#include "machine/linux/time.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ANY_BITS UINT32_MAX

/* wait.data: what the handler and futex_wait_in_host share. */
enum {
    DATA_VALUE, /* what the word held when the wait began */
};

bool futex_usable(const struct process *process, guest_addr address, unsigned permissions)
{
    const struct memory *memory = &process->machine.memory;
    uint32_t value;

    /* Reading finds what permissions do not show: the end of a mapped file. */
    return memory_allows(memory, address, sizeof value, permissions) &&
           memory_read(memory, &value, address, sizeof value);
}

/* Only of a usable word. */
static uint32_t load_word(const struct process *process, guest_addr address)
{
    return __atomic_load_n((uint32_t *)memory_host(&process->machine.memory, address),
                           __ATOMIC_SEQ_CST);
}

static bool read_word(const struct process *process, guest_addr address, uint32_t *value)
{
    if (!futex_usable(process, address, PAGE_READ)) {
        return false;
    }
    *value = load_word(process, address);
    return true;
}

/* Other processes may be at the same word, hence the host's atomics. */
static bool replace_word(struct process *process, guest_addr address, uint32_t *old, uint32_t new)
{
    return __atomic_compare_exchange_n((uint32_t *)memory_host(&process->machine.memory, address),
                                       old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static bool shared_with_others(const struct process *process, guest_addr address)
{
    return process->shares_memory &&
           (memory_permissions(&process->machine.memory, address) & PAGE_SHARED) != 0;
}

static long host_futex(const struct process *process, guest_addr address, int operation,
                       uint32_t value, const struct timespec *timeout)
{
    return syscall(SYS_futex, memory_host(&process->machine.memory, address), operation, value,
                   timeout, NULL, 0);
}

static struct thread *first_waiter(const struct process *process, guest_addr address, uint32_t bits)
{
    struct thread *first = NULL;

    for (struct thread *thread = thread_first(process); thread != NULL;
         thread = thread_next(thread)) {
        const struct thread_wait *wait = &thread->wait;
        if (thread->task.state == TASK_WAITING && wait->futex && wait->futex_key == address &&
            (wait->futex_bits & bits) != 0 &&
            (first == NULL || wait->futex_order < first->wait.futex_order)) {
            first = thread;
        }
    }
    return first;
}

/* The waker makes way, as in Linux.  One that went on could take back what it
 * has just given up before any other comes to look, and so for ever. */
void futex_end_wait(struct thread *thread)
{
    thread->wait.futex = false;
    thread->wait.woken = true;
    schedule_yield(&thread->process->schedule);
}

int64_t futex_wake(struct process *process, guest_addr address, uint32_t count, uint32_t bits)
{
    int64_t woken = 0;

    while (woken < count) {
        struct thread *thread = first_waiter(process, address, bits);
        if (thread == NULL) {
            break;
        }
        futex_end_wait(thread);
        woken++;
    }
    if (woken < count && shared_with_others(process, address)) {
        uint32_t left = count - (uint32_t)woken;
        long others =
            host_futex(process, address, FUTEX_WAKE, left > INT_MAX ? INT_MAX : left, NULL);
        woken += others > 0 ? others : 0;
    }
    return woken;
}

bool futex_wait_in_host(struct thread *thread, uint64_t nanoseconds)
{
    struct guest_timespec limit = time_to_timespec(nanoseconds);
    struct timespec timeout = {.tv_sec = limit.seconds, .tv_nsec = limit.nanoseconds};
    uint32_t value = (uint32_t)thread->wait.data[DATA_VALUE];

    if (host_futex(thread->process, thread->wait.futex_key, FUTEX_WAIT, value, &timeout) == 0) {
        futex_end_wait(thread);
        return true;
    }
    return errno == EAGAIN;
}

static void enter_queue(struct thread *thread, guest_addr address, uint32_t bits)
{
    struct thread_wait *wait = &thread->wait;

    wait->futex = true;
    wait->futex_key = address;
    wait->futex_bits = bits;
    wait->futex_order = ++thread->process->futex_sequence;
    wait->host_futex = shared_with_others(thread->process, address);
}

/* Sets wait.deadline from the call's fourth argument. */
static int read_timeout(struct thread *thread, guest_addr address, bool absolute, int32_t clock)
{
    uint64_t nanoseconds;

    if (address == 0) {
        return 0;
    }
    int error = time_read_timespec(thread, address, &nanoseconds);
    if (error != 0) {
        return error;
    }
    if (absolute) {
        return time_deadline(thread->process, clock, nanoseconds, &thread->wait.deadline);
    }
    thread->wait.deadline = time_after(thread->process, nanoseconds);
    return 0;
}

static int64_t wait_for_change(struct thread *thread, const uint64_t *arguments, uint32_t bits,
                               bool absolute, int32_t clock)
{
    struct thread_wait *wait = &thread->wait;
    guest_addr address = arguments[0];
    uint32_t value;

    if (wait->resumed) {
        if (!wait->futex) {
            return 0;
        }
        if (wait->host_futex && read_word(thread->process, wait->futex_key, &value) &&
            value != (uint32_t)wait->data[DATA_VALUE]) {
            return 0;
        }
        return schedule_now(&thread->process->schedule) >= wait->deadline ? -ETIMEDOUT
                                                                          : SYSCALL_BLOCKS;
    }
    if (bits == 0) {
        return -EINVAL;
    }
    int error = read_timeout(thread, arguments[3], absolute, clock);
    if (error != 0) {
        return error;
    }
    if (!read_word(thread->process, address, &value)) {
        return -EFAULT;
    }
    if (value != (uint32_t)arguments[2]) {
        return -EAGAIN;
    }
    wait->never_restarts = arguments[3] != 0;
    wait->data[DATA_VALUE] = value;
    enter_queue(thread, address, bits);
    return SYSCALL_BLOCKS;
}

static int64_t requeue(struct thread *thread, const uint64_t *arguments, bool compare)
{
    struct process *process = thread->process;
    guest_addr from = arguments[0], to = arguments[4];
    int32_t wake = (int32_t)arguments[2], move = (int32_t)arguments[3];
    uint32_t value;

    if (wake < 0 || move < 0 || to % sizeof value != 0) {
        return -EINVAL;
    }
    if (!read_word(process, from, &value) || !futex_usable(process, to, PAGE_READ)) {
        return -EFAULT;
    }
    if (compare && value != (uint32_t)arguments[5]) {
        return -EAGAIN;
    }
    int64_t woken = futex_wake(process, from, (uint32_t)wake, ANY_BITS);
    int64_t moved = 0;
    while (from != to && moved < move) {
        struct thread *waiter = first_waiter(process, from, ANY_BITS);
        if (waiter == NULL) {
            break;
        }
        waiter->wait.futex_key = to;
        waiter->wait.futex_order = ++process->futex_sequence;
        moved++;
    }
    if (shared_with_others(process, from) && moved < move) {
        /* The host's waiters cannot be moved to a queue that is not its own. */
        host_futex(process, from, FUTEX_WAKE, INT_MAX, NULL);
    }
    return compare ? woken + moved : woken;
}

/* FUTEX_WAKE_OP's third value: an operation on the second word, and a
 * comparison of what it held. */
static int change_word(struct process *process, guest_addr address, uint32_t encoded, bool *holds)
{
    unsigned operation = encoded >> 28 & 7, comparison = encoded >> 24 & 15;
    int32_t operand = (int32_t)(encoded << 8) >> 20;
    int32_t compared = (int32_t)(encoded << 20) >> 20;
    uint32_t old;

    if ((encoded & ((uint32_t)FUTEX_OP_OPARG_SHIFT << 28)) != 0) {
        operand = (int32_t)(UINT32_C(1) << ((uint32_t)operand & 31));
    }
    if (!futex_usable(process, address, PAGE_READ | PAGE_WRITE)) {
        return -EFAULT;
    }
    old = load_word(process, address);
    for (;;) {
        uint32_t new;
        switch (operation) {
        case FUTEX_OP_SET:
            new = (uint32_t)operand;
            break;
        case FUTEX_OP_ADD:
            new = old + (uint32_t)operand;
            break;
        case FUTEX_OP_OR:
            new = old | (uint32_t)operand;
            break;
        case FUTEX_OP_ANDN:
            new = old & ~(uint32_t)operand;
            break;
        case FUTEX_OP_XOR:
            new = old ^ (uint32_t)operand;
            break;
        default:
            return -ENOSYS;
        }
        if (replace_word(process, address, &old, new)) {
            break;
        }
    }
    int32_t held = (int32_t)old;
    switch (comparison) {
    case FUTEX_OP_CMP_EQ:
        *holds = held == compared;
        return 0;
    case FUTEX_OP_CMP_NE:
        *holds = held != compared;
        return 0;
    case FUTEX_OP_CMP_LT:
        *holds = held < compared;
        return 0;
    case FUTEX_OP_CMP_GE:
        *holds = held >= compared;
        return 0;
    case FUTEX_OP_CMP_LE:
        *holds = held <= compared;
        return 0;
    case FUTEX_OP_CMP_GT:
        *holds = held > compared;
        return 0;
    default:
        return -ENOSYS;
    }
}

/* Linux wakes one before it looks at the number. */
static uint32_t wake_count(uint64_t argument)
{
    return (int32_t)argument < 1 ? 1 : (uint32_t)argument;
}

static int64_t wake_with_operation(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    bool holds = false;

    if (arguments[4] % sizeof(uint32_t) != 0) {
        return -EINVAL;
    }
    int error = change_word(process, arguments[4], (uint32_t)arguments[5], &holds);
    if (error != 0) {
        return error;
    }
    int64_t woken = futex_wake(process, arguments[0], wake_count(arguments[2]), ANY_BITS);
    if (holds) {
        woken += futex_wake(process, arguments[4], wake_count(arguments[3]), ANY_BITS);
    }
    return woken;
}

/* The word of a priority-inheritance lock holds its owner's number.  There are
 * no priorities here: the lock goes to who has waited longest. */
static int64_t lock_owned(struct thread *thread, const uint64_t *arguments, bool try, int32_t clock)
{
    struct process *process = thread->process;
    guest_addr address = arguments[0];
    uint32_t value;

    if (thread->wait.resumed) {
        if (!thread->wait.futex) {
            return 0;
        }
        return schedule_now(&process->schedule) >= thread->wait.deadline ? -ETIMEDOUT
                                                                         : SYSCALL_BLOCKS;
    }
    if (!futex_usable(process, address, PAGE_READ | PAGE_WRITE)) {
        return -EFAULT;
    }
    int error = try ? 0 : read_timeout(thread, arguments[3], true, clock);
    if (error != 0) {
        return error;
    }
    value = load_word(process, address);
    for (;;) {
        uint32_t owner = value & FUTEX_TID_MASK;
        if (owner == (uint32_t)thread->tid) {
            return -EDEADLK;
        }
        if (owner == 0) {
            uint32_t kept = value & FUTEX_OWNER_DIED;
            if (replace_word(process, address, &value, kept | (uint32_t)thread->tid)) {
                return 0;
            }
        } else if (!shared_with_others(process, address) &&
                   thread_find(process, (pid_t)owner) == NULL) {
            return -ESRCH;
        } else if (try) {
            return -EAGAIN;
        } else if (replace_word(process, address, &value, value | FUTEX_WAITERS)) {
            enter_queue(thread, address, ANY_BITS);
            thread->wait.always_restarts = true;
            return SYSCALL_BLOCKS;
        }
    }
}

static int64_t unlock_owned(struct thread *thread, guest_addr address)
{
    struct process *process = thread->process;
    uint32_t value;

    if (!futex_usable(process, address, PAGE_READ | PAGE_WRITE)) {
        return -EFAULT;
    }
    value = load_word(process, address);
    if ((value & FUTEX_TID_MASK) != (uint32_t)thread->tid) {
        return -EPERM;
    }
    struct thread *next = first_waiter(process, address, ANY_BITS);
    uint32_t new = 0;
    if (next != NULL) {
        futex_end_wait(next);
        new = (uint32_t)next->tid;
        if (first_waiter(process, address, ANY_BITS) != NULL) {
            new |= FUTEX_WAITERS;
        }
    }
    while (!replace_word(process, address, &value, new)) {
    }
    return 0;
}

int64_t sys_futex(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    uint32_t operation = (uint32_t)arguments[1];
    int32_t clock = (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;

    if (arguments[0] % sizeof(uint32_t) != 0) {
        return -EINVAL;
    }
    if (arguments[0] >= GUEST_SPACE_BYTES) {
        return -EFAULT;
    }
    switch (operation & (uint32_t)FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
        return wait_for_change(thread, arguments, ANY_BITS, false, clock);
    case FUTEX_WAIT_BITSET:
        return wait_for_change(thread, arguments, (uint32_t)arguments[5], true, clock);
    case FUTEX_WAKE:
        return futex_wake(process, arguments[0], wake_count(arguments[2]), ANY_BITS);
    case FUTEX_WAKE_BITSET:
        return (uint32_t)arguments[5] == 0
                   ? -EINVAL
                   : futex_wake(process, arguments[0], wake_count(arguments[2]),
                                (uint32_t)arguments[5]);
    case FUTEX_REQUEUE:
        return requeue(thread, arguments, false);
    case FUTEX_CMP_REQUEUE:
        return requeue(thread, arguments, true);
    case FUTEX_WAKE_OP:
        return wake_with_operation(thread, arguments);
    case FUTEX_LOCK_PI:
        return lock_owned(thread, arguments, false, CLOCK_REALTIME);
    case FUTEX_LOCK_PI2:
        return lock_owned(thread, arguments, false, clock);
    case FUTEX_TRYLOCK_PI:
        return lock_owned(thread, arguments, true, clock);
    case FUTEX_UNLOCK_PI:
        return unlock_owned(thread, arguments[0]);
    default:
        return -ENOSYS;
    }
}
