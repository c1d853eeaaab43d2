/* Who the program is: numbers of processes, groups and users, which are the host's own. */
#define _GNU_SOURCE
#include "machine/linux/syscall.h"
#include "machine/linux/thread.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GROUPS_MAX = 65536 };

/* The wrappers of the host's libc do more than the calls themselves. */
static int64_t host_call(long number, uint64_t a, uint64_t b, uint64_t c)
{
    long result = syscall(number, a, b, c);

    return result < 0 ? -errno : result;
}

/* Calls that mean the same on the host and whose arguments are plain numbers. */
#define HOST_IDENTITY(name)                                                                        \
    int64_t sys_##name(struct thread *thread, const uint64_t *arguments)                           \
    {                                                                                              \
        (void)thread;                                                                              \
        return host_call(SYS_##name, arguments[0], arguments[1], arguments[2]);                    \
    }

HOST_IDENTITY(getuid)
HOST_IDENTITY(geteuid)
HOST_IDENTITY(getgid)
HOST_IDENTITY(getegid)
HOST_IDENTITY(setuid)
HOST_IDENTITY(setgid)
HOST_IDENTITY(setreuid)
HOST_IDENTITY(setregid)
HOST_IDENTITY(setresuid)
HOST_IDENTITY(setresgid)
HOST_IDENTITY(setfsuid)
HOST_IDENTITY(setfsgid)
HOST_IDENTITY(setpgid)
HOST_IDENTITY(getpgid)
HOST_IDENTITY(getsid)
HOST_IDENTITY(setsid)

int64_t sys_getpid(struct thread *thread, const uint64_t *arguments)
{
    (void)arguments;
    return thread->process->pid;
}

int64_t sys_getppid(struct thread *thread, const uint64_t *arguments)
{
    (void)arguments;
    return process_parent(thread->process);
}

static int64_t write_three(struct thread *thread, const uint64_t *addresses, const uint32_t *values)
{
    for (int i = 0; i < 3; i++) {
        if (!thread_write(thread, addresses[i], &values[i], sizeof values[i])) {
            return -EFAULT;
        }
    }
    return 0;
}

int64_t sys_getresuid(struct thread *thread, const uint64_t *arguments)
{
    uint32_t values[3];

    if (getresuid(&values[0], &values[1], &values[2]) != 0) {
        return -errno;
    }
    return write_three(thread, arguments, values);
}

int64_t sys_getresgid(struct thread *thread, const uint64_t *arguments)
{
    uint32_t values[3];

    if (getresgid(&values[0], &values[1], &values[2]) != 0) {
        return -errno;
    }
    return write_three(thread, arguments, values);
}

int64_t sys_getgroups(struct thread *thread, const uint64_t *arguments)
{
    int32_t room = (int32_t)arguments[0];

    if (room < 0) {
        return -EINVAL;
    }
    int count = getgroups(0, NULL);
    if (room == 0 || count <= 0) {
        return count < 0 ? -errno : count;
    }
    gid_t *groups = malloc((size_t)count * sizeof *groups);
    if (groups == NULL) {
        return -ENOMEM;
    }
    int64_t result = room < count ? -EINVAL : getgroups(count, groups);
    if (result > 0 &&
        !thread_write(thread, arguments[1], groups, (uint64_t)result * sizeof *groups)) {
        result = -EFAULT;
    }
    free(groups);
    return result;
}

int64_t sys_setgroups(struct thread *thread, const uint64_t *arguments)
{
    uint64_t count = arguments[0];

    if (count > GROUPS_MAX) {
        return -EINVAL;
    }
    gid_t *groups = malloc((size_t)(count + 1) * sizeof *groups);
    if (groups == NULL) {
        return -ENOMEM;
    }
    int64_t result = -EFAULT;
    if (count == 0 || thread_read(thread, groups, arguments[1], count * sizeof *groups)) {
        result = host_call(SYS_setgroups, count, (uint64_t)(uintptr_t)groups, 0);
    }
    free(groups);
    return result;
}

/* The host knows this process but not the numbers of its threads. */
static uint64_t host_number(const struct thread *thread, uint64_t which, uint64_t number)
{
    bool own = which == PRIO_PROCESS && thread_find(thread->process, (pid_t)number) != NULL;

    return own ? 0 : number;
}

int64_t sys_getpriority(struct thread *thread, const uint64_t *arguments)
{
    return host_call(SYS_getpriority, arguments[0], host_number(thread, arguments[0], arguments[1]),
                     0);
}

int64_t sys_setpriority(struct thread *thread, const uint64_t *arguments)
{
    return host_call(SYS_setpriority, arguments[0], host_number(thread, arguments[0], arguments[1]),
                     arguments[2]);
}

/* Number of 32-bit pieces of each capability set, by the header's version. */
static unsigned capability_pieces(uint32_t version)
{
    return version == _LINUX_CAPABILITY_VERSION_1 ? _LINUX_CAPABILITY_U32S_1
                                                  : _LINUX_CAPABILITY_U32S_3;
}

static int64_t use_capabilities(struct thread *thread, const uint64_t *arguments, long number)
{
    struct __user_cap_header_struct header;
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
    bool get = number == SYS_capget;

    if (!thread_read(thread, &header, arguments[0], sizeof header)) {
        return -EFAULT;
    }
    uint64_t bytes = capability_pieces(header.version) * sizeof data[0];
    if (!get && !thread_read(thread, data, arguments[1], bytes)) {
        return -EFAULT;
    }
    if (thread_find(thread->process, header.pid) != NULL) {
        header.pid = 0;
    }
    int64_t result = host_call(number, (uint64_t)(uintptr_t)&header,
                               get && arguments[1] == 0 ? 0 : (uint64_t)(uintptr_t)data, 0);
    if (result == -EINVAL) {
        thread_write(thread, arguments[0], &header.version, sizeof header.version);
    }
    if (result == 0 && get && arguments[1] != 0 &&
        !thread_write(thread, arguments[1], data, bytes)) {
        return -EFAULT;
    }
    return result;
}

int64_t sys_capget(struct thread *thread, const uint64_t *arguments)
{
    return use_capabilities(thread, arguments, SYS_capget);
}

int64_t sys_capset(struct thread *thread, const uint64_t *arguments)
{
    return use_capabilities(thread, arguments, SYS_capset);
}
