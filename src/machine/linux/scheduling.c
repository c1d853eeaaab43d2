/* The calls about scheduling: of whole processes they are the host's, of further threads a policy is remembered.
 *
 * The first thread of a process has the policy that the host's process has, so that other processes see it.  No
 * program gets a real-time policy: it would take the host's processors from everyone else. */
#define _GNU_SOURCE
#include "machine/linux/scheduling.h"

#include "machine/linux/files.h"
#include "machine/linux/syscall.h"
#include "machine/linux/thread.h"
#include "machine/linux/time.h"

#include <errno.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    PROCESSORS = 1,
    HOST_MASK_BYTES = 8192, /* of affinity: room for more processors than any host has */
    REAL_TIME_MOST = 99,    /* the highest real-time priority */
    NICE_LEAST = -20,
    NICE_MOST = 19,
};

/* Whom a call is about. */
struct subject {
    struct thread *thread; /* one of this process that the host knows nothing of; NULL: host_pid */
    pid_t host_pid;        /* for the host's calls */
};

static struct subject find_subject(struct thread *caller, uint64_t number)
{
    pid_t pid = (pid_t)number;
    struct thread *thread = pid == 0 ? caller : thread_find(caller->process, pid);

    if (thread == NULL) {
        return (struct subject){.host_pid = pid};
    }
    return (struct subject){.thread = thread->tid == caller->process->pid ? NULL : thread};
}

/* 0, or -errno if there is no such process. */
static int64_t check_subject(const struct subject *subject)
{
    if (subject->thread != NULL || subject->host_pid == 0) {
        return 0;
    }
    long result = subject->host_pid < 0 ? -1 : syscall(SYS_sched_getscheduler, subject->host_pid);
    return result < 0 ? -ESRCH : 0;
}

void scheduling_inherit(struct thread *child, const struct thread *parent)
{
    long policy = parent->tid == parent->process->pid ? syscall(SYS_sched_getscheduler, 0)
                                                      : parent->scheduling_policy;

    /* Of those that a thread can have, the flag itself is all that it resets. */
    child->scheduling_policy = policy < 0 ? SCHED_NORMAL : (int)policy & ~SCHED_RESET_ON_FORK;
}

void scheduling_fork(const struct thread *thread)
{
    const struct sched_attr attributes = {
        .size = sizeof attributes,
        .sched_policy = (uint32_t)thread->scheduling_policy & ~(uint32_t)SCHED_RESET_ON_FORK,
        .sched_nice = getpriority(PRIO_PROCESS, 0),
    };

    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

int64_t sys_sched_getaffinity(struct thread *thread, const uint64_t *arguments)
{
    const struct subject subject = find_subject(thread, arguments[0]);
    uint64_t mask = (UINT64_C(1) << PROCESSORS) - 1;

    if ((uint32_t)arguments[1] < sizeof mask || (uint32_t)arguments[1] % sizeof mask != 0) {
        return -EINVAL;
    }
    int64_t error = check_subject(&subject);
    if (error != 0) {
        return error;
    }
    return thread_write(thread, arguments[2], &mask, sizeof mask) ? (int64_t)sizeof mask : -EFAULT;
}

/* Whether the host would let this process change another: asked by a change to what there is. */
static int64_t may_change(const struct subject *subject)
{
    uint8_t mask[HOST_MASK_BYTES];

    if (subject->thread != NULL || subject->host_pid == 0) {
        return 0;
    }
    long bytes = syscall(SYS_sched_getaffinity, subject->host_pid, sizeof mask, mask);
    return files_result(bytes < 0 ? bytes
                                  : syscall(SYS_sched_setaffinity, subject->host_pid, bytes, mask));
}

int64_t sys_sched_setaffinity(struct thread *thread, const uint64_t *arguments)
{
    const struct subject subject = find_subject(thread, arguments[0]);
    uint64_t mask = 0;
    uint64_t bytes = (uint32_t)arguments[1] < sizeof mask ? (uint32_t)arguments[1] : sizeof mask;

    if (!thread_read(thread, &mask, arguments[2], bytes)) {
        return -EFAULT;
    }
    int64_t error = check_subject(&subject);
    if (error == 0) {
        error = may_change(&subject);
    }
    if (error != 0) {
        return error;
    }
    return (mask & ((UINT64_C(1) << PROCESSORS) - 1)) != 0 ? 0 : -EINVAL;
}

int64_t sys_sched_getscheduler(struct thread *thread, const uint64_t *arguments)
{
    const struct subject subject = find_subject(thread, arguments[0]);

    return subject.thread != NULL ? subject.thread->scheduling_policy
                                  : files_result(syscall(SYS_sched_getscheduler, subject.host_pid));
}

static bool is_real_time(uint32_t policy)
{
    return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE;
}

/* 0 if a program may have this policy with this priority, or -errno. */
static int64_t check_policy(uint32_t policy, int64_t priority)
{
    switch (policy) {
    case SCHED_NORMAL:
    case SCHED_BATCH:
    case SCHED_IDLE:
        return priority == 0 ? 0 : -EINVAL;
    case SCHED_FIFO:
    case SCHED_RR:
        return priority >= 1 && priority <= REAL_TIME_MOST ? -EPERM : -EINVAL;
    default:
        return -EINVAL;
    }
}

int64_t sys_sched_setscheduler(struct thread *thread, const uint64_t *arguments)
{
    const struct subject subject = find_subject(thread, arguments[0]);
    int policy = (int)arguments[1];
    int32_t priority;

    if (arguments[2] == 0 || policy < 0 || (pid_t)arguments[0] < 0) {
        return -EINVAL;
    }
    if (!thread_read(thread, &priority, arguments[2], sizeof priority)) {
        return -EFAULT;
    }
    int64_t error = check_subject(&subject);
    if (error == 0) {
        error = check_policy((uint32_t)(policy & ~SCHED_RESET_ON_FORK), priority);
    }
    if (error != 0) {
        return error;
    }
    if (subject.thread == NULL) {
        return files_result(syscall(SYS_sched_setscheduler, subject.host_pid, policy, &priority));
    }
    subject.thread->scheduling_policy = policy;
    return 0;
}

int64_t sys_sched_getparam(struct thread *thread, const uint64_t *arguments)
{
    const struct subject subject = find_subject(thread, arguments[0]);
    int32_t priority = 0;

    if (arguments[1] == 0) {
        return -EINVAL;
    }
    if (subject.thread == NULL) {
        int64_t error = files_result(syscall(SYS_sched_getparam, subject.host_pid, &priority));
        if (error != 0) {
            return error;
        }
    }
    return thread_write(thread, arguments[1], &priority, sizeof priority) ? 0 : -EFAULT;
}

int64_t sys_sched_setparam(struct thread *thread, const uint64_t *arguments)
{
    const struct subject subject = find_subject(thread, arguments[0]);
    int32_t priority;

    if (arguments[1] == 0 || (pid_t)arguments[0] < 0) {
        return -EINVAL;
    }
    if (!thread_read(thread, &priority, arguments[1], sizeof priority)) {
        return -EFAULT;
    }
    if (subject.thread == NULL) {
        return files_result(syscall(SYS_sched_setparam, subject.host_pid, &priority));
    }
    return priority == 0 ? 0 : -EINVAL;
}

/* Reads what sched_setattr is given, of any version: 0 or -errno. */
static int64_t read_attributes(struct thread *thread, guest_addr address,
                               struct sched_attr *attributes)
{
    uint32_t known = sizeof *attributes;
    uint32_t bytes;

    if (!thread_read(thread, &bytes, address, sizeof bytes)) {
        return -EFAULT;
    }
    bytes = bytes == 0 ? SCHED_ATTR_SIZE_VER0 : bytes;
    bool fits = bytes >= SCHED_ATTR_SIZE_VER0 && bytes <= GUEST_PAGE_BYTES;
    for (uint64_t at = known; fits && at < bytes; at++) {
        uint8_t more;
        if (!thread_read(thread, &more, address + at, sizeof more)) {
            return -EFAULT;
        }
        fits = more == 0;
    }
    if (!fits) {
        thread_write(thread, address, &known, sizeof known);
        return -E2BIG;
    }
    memset(attributes, 0, sizeof *attributes);
    if (!thread_read(thread, attributes, address, bytes < known ? bytes : known)) {
        return -EFAULT;
    }
    attributes->size = bytes < known ? bytes : known;
    return 0;
}

static int64_t check_attributes(const struct sched_attr *attributes)
{
    const uint64_t flags = SCHED_FLAG_ALL;

    if ((attributes->sched_flags & ~flags) != 0 || (int32_t)attributes->sched_policy < 0) {
        return -EINVAL;
    }
    if ((attributes->sched_flags & SCHED_FLAG_KEEP_POLICY) != 0) {
        return 0;
    }
    return attributes->sched_policy == SCHED_DEADLINE
               ? -EPERM
               : check_policy(attributes->sched_policy, attributes->sched_priority);
}

/* All threads of a process have one nice value here, as for setpriority. */
static int64_t set_thread_attributes(struct thread *thread, const struct sched_attr *attributes)
{
    const uint64_t flags = attributes->sched_flags;

    if ((flags & SCHED_FLAG_KEEP_PARAMS) == 0) {
        int nice = attributes->sched_nice < NICE_LEAST  ? NICE_LEAST
                   : attributes->sched_nice > NICE_MOST ? NICE_MOST
                                                        : attributes->sched_nice;
        if (setpriority(PRIO_PROCESS, 0, nice) != 0) {
            return -EPERM;
        }
    }
    int policy = (flags & SCHED_FLAG_KEEP_POLICY) != 0
                     ? thread->scheduling_policy & ~SCHED_RESET_ON_FORK
                     : (int)attributes->sched_policy;
    thread->scheduling_policy =
        policy | ((flags & SCHED_FLAG_RESET_ON_FORK) != 0 ? SCHED_RESET_ON_FORK : 0);
    return 0;
}

int64_t sys_sched_setattr(struct thread *thread, const uint64_t *arguments)
{
    const struct subject subject = find_subject(thread, arguments[0]);
    struct sched_attr attributes;

    if (arguments[1] == 0 || (pid_t)arguments[0] < 0 || (uint32_t)arguments[2] != 0) {
        return -EINVAL;
    }
    int64_t error = read_attributes(thread, arguments[1], &attributes);
    if (error == 0) {
        error = check_subject(&subject);
    }
    if (error == 0) {
        error = check_attributes(&attributes);
    }
    if (error != 0) {
        return error;
    }
    return subject.thread != NULL
               ? set_thread_attributes(subject.thread, &attributes)
               : files_result(syscall(SYS_sched_setattr, subject.host_pid, &attributes, 0));
}

int64_t sys_sched_getattr(struct thread *thread, const uint64_t *arguments)
{
    const struct subject subject = find_subject(thread, arguments[0]);
    struct sched_attr attributes;
    uint32_t room = (uint32_t)arguments[2];

    if (arguments[1] == 0 || (pid_t)arguments[0] < 0 || room < SCHED_ATTR_SIZE_VER0 ||
        room > GUEST_PAGE_BYTES || (uint32_t)arguments[3] != 0) {
        return -EINVAL;
    }
    memset(&attributes, 0, sizeof attributes);
    if (syscall(SYS_sched_getattr, subject.host_pid, &attributes, sizeof attributes, 0) != 0) {
        return -errno;
    }
    if (subject.thread != NULL) {
        int policy = subject.thread->scheduling_policy;
        attributes.sched_policy = (uint32_t)(policy & ~SCHED_RESET_ON_FORK);
        attributes.sched_flags =
            (policy & SCHED_RESET_ON_FORK) != 0 ? (uint64_t)SCHED_FLAG_RESET_ON_FORK : 0;
    }
    if (!is_real_time(attributes.sched_policy)) {
        attributes.sched_runtime = 0; /* some hosts tell here how long a turn is */
    }
    attributes.size = room < sizeof attributes ? room : (uint32_t)sizeof attributes;
    return thread_write(thread, arguments[1], &attributes, attributes.size) ? 0 : -EFAULT;
}

static int64_t priority_limit(uint64_t policy, int64_t of_real_time)
{
    switch ((int32_t)policy) {
    case SCHED_FIFO:
    case SCHED_RR:
        return of_real_time;
    case SCHED_NORMAL:
    case SCHED_BATCH:
    case SCHED_IDLE:
    case SCHED_DEADLINE:
        return 0;
    default:
        return -EINVAL;
    }
}

int64_t sys_sched_get_priority_max(struct thread *thread, const uint64_t *arguments)
{
    (void)thread;
    return priority_limit(arguments[0], REAL_TIME_MOST);
}

int64_t sys_sched_get_priority_min(struct thread *thread, const uint64_t *arguments)
{
    (void)thread;
    return priority_limit(arguments[0], 1);
}

int64_t sys_sched_rr_get_interval(struct thread *thread, const uint64_t *arguments)
{
    const struct subject subject = find_subject(thread, arguments[0]);
    struct guest_timespec interval = time_to_timespec(SCHEDULE_QUANTUM);

    int64_t error = (pid_t)arguments[0] < 0 ? -EINVAL : check_subject(&subject);
    if (error != 0) {
        return error;
    }
    return thread_write(thread, arguments[1], &interval, sizeof interval) ? 0 : -EFAULT;
}
