/* The system that the program sees: one processor, fixed limits, repeatable random numbers. */
#define _GNU_SOURCE
#include "machine/linux/sysinfo.h"

#include "machine/linux/layout.h"
#include "machine/linux/syscall.h"
#include "machine/linux/thread.h"
#include "machine/linux/time.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RANDOM_SEED UINT64_C(0x5374726174610001)
#define RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)
#define MEMORY_BYTES (UINT64_C(4) << 30) /* what sysinfo tells */

enum {
    NAME_BYTES = 65, /* of each field of struct utsname */
};

/* SplitMix64. */
static uint64_t next_random(struct process *process)
{
    uint64_t value = process->random_state += RANDOM_STEP;

    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

void sysinfo_separate_random(struct process *process)
{
    process->random_state = next_random(process) ^ RANDOM_SEED;
}

int64_t sys_getrandom(struct thread *thread, const uint64_t *arguments)
{
    const uint64_t known_flags = 7; /* GRND_NONBLOCK, GRND_RANDOM, GRND_INSECURE */
    uint64_t bytes = arguments[1] > INT32_MAX ? INT32_MAX : arguments[1];

    if ((arguments[2] & ~known_flags) != 0) {
        return -EINVAL;
    }
    for (uint64_t done = 0; done < bytes;) {
        uint64_t value = next_random(thread->process);
        uint64_t part = bytes - done < sizeof value ? bytes - done : sizeof value;
        if (!thread_write(thread, arguments[0] + done, &value, part)) {
            return done == 0 ? -EFAULT : (int64_t)done;
        }
        done += part;
    }
    return (int64_t)bytes;
}

int64_t sys_uname(struct thread *thread, const uint64_t *arguments)
{
    static const char *const fields[] = {
        "Linux", "strata", "6.1.0", "#1 SMP", "riscv64", "(none)",
    };
    char name[sizeof fields / sizeof fields[0]][NAME_BYTES];

    memset(name, 0, sizeof name);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        memcpy(name[i], fields[i], strlen(fields[i]));
    }
    return thread_write(thread, arguments[0], name, sizeof name) ? 0 : -EFAULT;
}

/* struct sysinfo. */
struct guest_sysinfo {
    int64_t uptime_seconds;
    uint64_t loads[3];
    uint64_t total_ram, free_ram, shared_ram, buffer_ram, total_swap, free_swap;
    uint16_t processes;
    uint16_t pad[3];
    uint64_t total_high, free_high;
    uint32_t unit_bytes;
    uint32_t end;
};

int64_t sys_sysinfo(struct thread *thread, const uint64_t *arguments)
{
    struct guest_sysinfo info = {
        .uptime_seconds = (int64_t)(schedule_now(&thread->process->schedule) / NANOSECONDS),
        .total_ram = MEMORY_BYTES,
        .free_ram = MEMORY_BYTES / 2,
        .processes = 1,
        .unit_bytes = 1,
    };
    _Static_assert(sizeof info == 112, "struct sysinfo");

    return thread_write(thread, arguments[0], &info, sizeof info) ? 0 : -EFAULT;
}

/* What the host's kernel enforces for the program.  Only its soft limit is
 * lowered: Strata itself must be able to write its reports afterwards. */
static const int host_limits[] = {RLIMIT_NOFILE, RLIMIT_FSIZE};
enum { HOST_LIMITS = sizeof host_limits / sizeof host_limits[0] };

static void read_host_limits(struct process *process)
{
    for (int i = 0; i < HOST_LIMITS; i++) {
        syscall(SYS_prlimit64, 0, host_limits[i], NULL, &process->limits[host_limits[i]]);
    }
}

void sysinfo_start(struct process *process)
{
    process->random_state = RANDOM_SEED;
    for (int resource = 0; resource < LIMITS; resource++) {
        process->limits[resource].now = RLIM_INFINITY;
        process->limits[resource].most = RLIM_INFINITY;
    }
    read_host_limits(process);
    process->limits[RLIMIT_STACK].now = LAYOUT_STACK_BYTES;
    process->limits[RLIMIT_CORE].now = 0;
    process->limits[RLIMIT_MEMLOCK].now = process->limits[RLIMIT_MEMLOCK].most = 8 << 20;
    process->limits[RLIMIT_NICE].now = process->limits[RLIMIT_NICE].most = 0;
    process->limits[RLIMIT_RTPRIO].now = process->limits[RLIMIT_RTPRIO].most = 0;
}

static void set_soft_limit(int resource, uint64_t now)
{
    struct resource_limit host;

    if (syscall(SYS_prlimit64, 0, resource, NULL, &host) == 0) {
        host.now = now < host.most ? now : host.most;
        syscall(SYS_prlimit64, 0, resource, &host, NULL);
    }
}

void sysinfo_end(void)
{
    for (int i = 0; i < HOST_LIMITS; i++) {
        set_soft_limit(host_limits[i], RLIM_INFINITY);
    }
}

static int set_limit(struct process *process, int resource, const struct resource_limit *limit)
{
    if (limit->now > limit->most) {
        return -EINVAL;
    }
    if (limit->most > process->limits[resource].most && geteuid() != 0) {
        return -EPERM;
    }
    process->limits[resource] = *limit;
    for (int i = 0; i < HOST_LIMITS; i++) {
        if (host_limits[i] == resource) {
            set_soft_limit(resource, limit->now);
        }
    }
    return 0;
}

static int64_t change_limit(struct thread *thread, uint64_t resource, guest_addr new_address,
                            guest_addr old_address)
{
    struct resource_limit old, new;

    if (resource >= LIMITS) {
        return -EINVAL;
    }
    if (new_address != 0 && !thread_read(thread, &new, new_address, sizeof new)) {
        return -EFAULT;
    }
    old = thread->process->limits[resource];
    int error = new_address != 0 ? set_limit(thread->process, (int)resource, &new) : 0;
    if (error != 0) {
        return error;
    }
    if (old_address != 0 && !thread_write(thread, old_address, &old, sizeof old)) {
        return -EFAULT;
    }
    return 0;
}

int64_t sys_prlimit64(struct thread *thread, const uint64_t *arguments)
{
    pid_t pid = (pid_t)arguments[0];

    if (pid != 0 && pid != thread->process->pid && thread_find(thread->process, pid) == NULL) {
        return -ESRCH;
    }
    return change_limit(thread, (uint32_t)arguments[1], arguments[2], arguments[3]);
}

int64_t sys_getrlimit(struct thread *thread, const uint64_t *arguments)
{
    return arguments[1] == 0 ? -EFAULT
                             : change_limit(thread, (uint32_t)arguments[0], 0, arguments[1]);
}

int64_t sys_setrlimit(struct thread *thread, const uint64_t *arguments)
{
    return arguments[1] == 0 ? -EFAULT
                             : change_limit(thread, (uint32_t)arguments[0], arguments[1], 0);
}

int64_t sys_getrusage(struct thread *thread, const uint64_t *arguments)
{
    const struct machine *machine = &thread->process->machine;
    struct rusage usage;

    memset(&usage, 0, sizeof usage);
    uint64_t used = machine->instructions;
    switch ((int32_t)arguments[0]) {
    case RUSAGE_CHILDREN:
        getrusage(RUSAGE_CHILDREN, &usage);
        return thread_write(thread, arguments[1], &usage, sizeof usage) ? 0 : -EFAULT;
    case RUSAGE_THREAD:
        used = thread->hart.instructions;
        break;
    case RUSAGE_SELF:
        break;
    default:
        return -EINVAL;
    }
    usage.ru_utime.tv_sec = (time_t)(used / NANOSECONDS);
    usage.ru_utime.tv_usec = (suseconds_t)(used % NANOSECONDS / 1000);
    usage.ru_maxrss = (long)(machine->memory.peak_bytes / 1024);
    return thread_write(thread, arguments[1], &usage, sizeof usage) ? 0 : -EFAULT;
}

int64_t sys_getcpu(struct thread *thread, const uint64_t *arguments)
{
    uint32_t first = 0;

    for (int i = 0; i < 2; i++) {
        if (arguments[i] != 0 && !thread_write(thread, arguments[i], &first, sizeof first)) {
            return -EFAULT;
        }
    }
    return 0;
}

/* All threads run on one host thread: every barrier holds already. */
int64_t sys_membarrier(struct thread *thread, const uint64_t *arguments)
{
    const int64_t known = MEMBARRIER_CMD_GLOBAL | MEMBARRIER_CMD_PRIVATE_EXPEDITED |
                          MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED |
                          MEMBARRIER_CMD_GLOBAL_EXPEDITED |
                          MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED;
    int32_t command = (int32_t)arguments[0];
    (void)thread;

    if (command == MEMBARRIER_CMD_QUERY) {
        return known;
    }
    return (command & known) == command && (command & (command - 1)) == 0 ? 0 : -EINVAL;
}

int64_t sys_riscv_flush_icache(struct thread *thread, const uint64_t *arguments)
{
    const uint64_t local = 1; /* SYS_RISCV_FLUSH_ICACHE_LOCAL */

    if ((arguments[2] & ~local) != 0) {
        return -EINVAL;
    }
    machine_sync_all(&thread->process->machine);
    return 0;
}

int64_t sys_prctl(struct thread *thread, const uint64_t *arguments)
{
    char name[sizeof thread->name] = {0};

    switch ((int32_t)arguments[0]) {
    case PR_SET_NAME:
        for (size_t i = 0; i + 1 < sizeof name; i++) {
            if (!thread_read(thread, &name[i], arguments[1] + i, 1)) {
                return -EFAULT;
            }
            if (name[i] == '\0') {
                break;
            }
        }
        memcpy(thread->name, name, sizeof name);
        return 0;
    case PR_GET_NAME:
        return thread_write(thread, arguments[1], thread->name, sizeof name) ? 0 : -EFAULT;
    case PR_GET_DUMPABLE:
        return 1;
    case PR_SET_DUMPABLE:
        return arguments[1] <= 1 ? 0 : -EINVAL;
    case PR_SET_PDEATHSIG:
    case PR_SET_NO_NEW_PRIVS:
    case PR_GET_NO_NEW_PRIVS:
    case PR_SET_CHILD_SUBREAPER:
    case PR_CAPBSET_READ:
    case PR_CAPBSET_DROP:
    case PR_CAP_AMBIENT:
    case PR_GET_KEEPCAPS:
    case PR_SET_KEEPCAPS:
    case PR_GET_SECUREBITS:
    case PR_SET_SECUREBITS:
    case PR_GET_TIMERSLACK:
    case PR_SET_TIMERSLACK: {
        int result =
            prctl((int)arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]);
        return result < 0 ? -errno : result;
    }
    case PR_GET_PDEATHSIG:
    case PR_GET_CHILD_SUBREAPER: {
        int value = 0;
        if (prctl((int)arguments[0], &value) < 0) {
            return -errno;
        }
        return thread_write(thread, arguments[1], &value, sizeof value) ? 0 : -EFAULT;
    }
    default:
        return -EINVAL;
    }
}

int64_t sys_personality(struct thread *thread, const uint64_t *arguments)
{
    (void)thread;
    return arguments[0] == UINT32_MAX || arguments[0] == 0 ? 0 : -EINVAL;
}

int64_t sys_syslog(struct thread *thread, const uint64_t *arguments)
{
    (void)thread;
    (void)arguments;
    return -EPERM;
}
