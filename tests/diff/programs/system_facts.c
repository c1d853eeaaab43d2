/* Shows what the system says of itself: names, sizes, limits, usage, affinity, random bytes,
 * identity. */
#include "common.h"
#include <sched.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

int main(void)
{
    struct utsname name;
    struct sysinfo info;
    struct rusage usage;
    struct rlimit limit;
    struct rlimit old;
    cpu_set_t set;
    unsigned char bytes[64] = {0};
    unsigned any = 0;
    char thread_name[16] = "";

    REQUIRE(uname(&name) == 0);
    printf("system %s, machine %s\n", name.sysname, name.machine);
    REQUIRE(sysinfo(&info) == 0);
    printf("memory %d, processes %d, unit %d\n", info.totalram > 0, info.procs > 0,
           info.mem_unit > 0);
    REQUIRE(getrusage(RUSAGE_SELF, &usage) == 0);
    printf("usage in range %d\n", usage.ru_utime.tv_usec >= 0 && usage.ru_utime.tv_usec < 1000000);
    REQUIRE(getrusage(RUSAGE_CHILDREN, &usage) == 0 && getrusage(RUSAGE_THREAD, &usage) == 0);
    REQUIRE(getrlimit(RLIMIT_STACK, &limit) == 0);
    printf("stack at least a megabyte %d\n", limit.rlim_cur >= 1 << 20);
    REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = 123;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    REQUIRE(prlimit(0, RLIMIT_NOFILE, NULL, &old) == 0);
    printf("files limited to %lu\n", (unsigned long)old.rlim_cur);
    limit.rlim_cur = limit.rlim_max;
    limit.rlim_max = limit.rlim_cur - 1;
    printf("wrong order %s\n", outcome(setrlimit(RLIMIT_NOFILE, &limit)));
    printf("bad limit %s\n", outcome(getrlimit(99, &limit)));
    REQUIRE(getrandom(bytes, sizeof(bytes), 0) == sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes); i++) {
        any |= bytes[i];
    }
    printf("random %d, bad flags %s\n", any != 0, outcome(getrandom(bytes, 1, 0x100)));
    CPU_ZERO(&set);
    REQUIRE(sched_getaffinity(0, sizeof(set), &set) == 0);
    printf("processors %d, yield %d\n", CPU_COUNT(&set) > 0, sched_yield());
    printf("page %ld, processors %d, files %d\n", sysconf(_SC_PAGESIZE),
           sysconf(_SC_NPROCESSORS_ONLN) > 0, sysconf(_SC_OPEN_MAX) > 0);
    printf("identity %d %d\n", getuid() == geteuid(), getgid() == getegid());
    REQUIRE(prctl(PR_SET_NAME, "renamed-thread-too-long") == 0 &&
            prctl(PR_GET_NAME, thread_name) == 0);
    printf("thread name [%s]\n", thread_name);
    printf("priority %d, scheduler %d\n", getpriority(PRIO_PROCESS, 0), sched_getscheduler(0));
    return 0;
}
