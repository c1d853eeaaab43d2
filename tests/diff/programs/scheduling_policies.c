/* Scheduling policies of this thread, of other threads and of other processes. */
#include "common.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* struct sched_attr of linux/sched/types.h, which some C libraries have an opinion of their own about. */
struct attributes {
    uint32_t size, sched_policy;
    uint64_t sched_flags;
    int32_t sched_nice;
    uint32_t sched_priority;
    uint64_t sched_runtime, sched_deadline, sched_period;
    uint32_t sched_util_min, sched_util_max;
};

enum { RESET_ON_FORK = 1 }; /* in sched_flags */

static const char *policy_name(long policy)
{
    static char text[32];
    const int reset = policy > 0 && (policy & SCHED_RESET_ON_FORK) != 0;
    const long plain = reset ? policy & ~SCHED_RESET_ON_FORK : policy;

    snprintf(text, sizeof text, "%s%s",
             policy == -1           ? error_name(errno)
             : plain == SCHED_OTHER ? "other"
             : plain == SCHED_BATCH ? "batch"
             : plain == SCHED_IDLE  ? "idle"
                                    : "?",
             reset ? "+reset" : "");
    return text;
}

static void show(const char *whose, pid_t pid)
{
    struct sched_param parameters = {.sched_priority = 77};
    struct timespec interval;
    cpu_set_t set;

    printf("%s: %s", whose, policy_name(sched_getscheduler(pid)));
    printf(", param %s", outcome(sched_getparam(pid, &parameters)));
    printf(" %d", parameters.sched_priority);
    printf(", affinity %s", outcome(sched_getaffinity(pid, sizeof set, &set)));
    printf(", interval %s\n", outcome(sched_rr_get_interval(pid, &interval)));
}

static int first_nice;

/* This program may have begun with any value, and may only add to it. */
static int nicer(int by)
{
    return first_nice + by < 19 ? first_nice + by : 19;
}

static void show_attributes(const char *whose, pid_t pid, int by)
{
    struct attributes attributes;

    memset(&attributes, 0xff, sizeof attributes);
    int result = (int)syscall(SYS_sched_getattr, pid, &attributes, sizeof attributes, 0);
    if (result != 0) {
        printf("%s: %s\n", whose, error_name(errno));
        return;
    }
    printf("%s: %s, nice %d, flags %lx, size %u\n", whose, policy_name(attributes.sched_policy),
           attributes.sched_nice == nicer(by), (unsigned long)attributes.sched_flags,
           attributes.size);
}

static int set_attributes(pid_t pid, unsigned policy, int nice, unsigned long flags)
{
    struct attributes attributes = {.size = sizeof attributes,
                                    .sched_policy = policy,
                                    .sched_nice = nicer(nice),
                                    .sched_flags = flags};

    return (int)syscall(SYS_sched_setattr, pid, &attributes, 0);
}

static int set_policy(pid_t pid, int policy, int priority)
{
    const struct sched_param parameters = {.sched_priority = priority};

    return sched_setscheduler(pid, policy, &parameters);
}

/* A process that has begun to run. */
static pid_t start(void)
{
    int ends[2];
    char byte = 0;

    REQUIRE(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        REQUIRE(write(ends[1], &byte, 1) == 1);
        for (;;) {
            pause();
        }
    }
    REQUIRE(read(ends[0], &byte, 1) == 1);
    close(ends[0]);
    close(ends[1]);
    return child;
}

static void end(pid_t child)
{
    kill(child, SIGKILL);
    REQUIRE(waitpid(child, NULL, 0) == child);
}

static void processes(void)
{
    pid_t child = start();

    show("self", 0);
    show("by number", getpid());
    show("child", child);
    printf("batch for the child: %s", outcome(set_policy(child, SCHED_BATCH, 0)));
    printf(", %s", policy_name(sched_getscheduler(child)));
    printf(", self %s\n", policy_name(sched_getscheduler(0)));
    printf("param of the child: %s",
           outcome(sched_setparam(child, &(struct sched_param){.sched_priority = 0})));
    printf(", bad: %s\n",
           outcome(sched_setparam(child, &(struct sched_param){.sched_priority = 5})));
    show_attributes("child", child, 0);
    printf("set: %s\n", outcome(set_attributes(child, SCHED_OTHER, 3, 0)));
    show_attributes("child", child, 3);
    end(child);
    show("gone", child);
    show_attributes("gone", child, 0);
    printf("set: %s", outcome(set_attributes(child, SCHED_OTHER, 3, 0)));
    printf(", %s\n", outcome(set_policy(child, SCHED_BATCH, 0)));
}

static void inheritance(void)
{
    REQUIRE(set_policy(0, SCHED_BATCH | SCHED_RESET_ON_FORK, 0) == 0);
    show("own", 0);
    pid_t child = start();
    printf("child: %s\n", policy_name(sched_getscheduler(child)));
    end(child);
}

static pid_t other_tid;
static int steps[2][2];

static void *other(void *unused)
{
    char byte;

    other_tid = (pid_t)syscall(SYS_gettid);
    REQUIRE(write(steps[0][1], "x", 1) == 1 && read(steps[1][0], &byte, 1) == 1);
    printf("thread: self %s\n", policy_name(sched_getscheduler(0)));
    pid_t child = start();
    printf("thread's child: %s\n", policy_name(sched_getscheduler(child)));
    end(child);
    return unused;
}

static void threads(void)
{
    pthread_t thread;
    char byte;

    REQUIRE(pipe(steps[0]) == 0 && pipe(steps[1]) == 0);
    pthread_create(&thread, NULL, other, NULL);
    REQUIRE(read(steps[0][0], &byte, 1) == 1);
    show("thread", other_tid);
    printf("batch for it: %s", outcome(set_policy(other_tid, SCHED_BATCH, 0)));
    printf(", %s", policy_name(sched_getscheduler(other_tid)));
    printf(", self %s\n", policy_name(sched_getscheduler(0)));
    show_attributes("thread", other_tid, 0);
    printf("idle: %s\n", outcome(set_attributes(other_tid, SCHED_IDLE, 0, RESET_ON_FORK)));
    show_attributes("thread", other_tid, 0);
    REQUIRE(write(steps[1][1], "x", 1) == 1);
    pthread_join(thread, NULL);
}

static void errors(void)
{
    struct {
        struct attributes known;
        char more[8];
    } large = {.known = {.size = sizeof large, .sched_policy = SCHED_OTHER}};

    printf("negative: %s", outcome(sched_getscheduler(-1)));
    printf(", %s", outcome(set_policy(-1, SCHED_OTHER, 0)));
    printf(", %s\n", outcome(set_attributes(-1, SCHED_OTHER, 0, 0)));
    printf("policy: %s", outcome(set_policy(0, 42, 0)));
    printf(", %s", outcome(set_attributes(0, 42, 0, 0)));
    printf(", priority: %s", outcome(set_policy(0, SCHED_OTHER, 1)));
    printf(", flags: %s\n", outcome(set_attributes(0, SCHED_OTHER, 0, 1ul << 40)));
    printf("larger: %s", outcome(syscall(SYS_sched_setattr, 0, &large, 0)));
    large.more[7] = 1;
    printf(", with more in it: %s", outcome(syscall(SYS_sched_setattr, 0, &large, 0)));
    printf(", known %d", large.known.size == sizeof large.known);
    large.known.size = 8;
    printf(", small: %s", outcome(syscall(SYS_sched_setattr, 0, &large, 0)));
    printf(", call's flags: %s", outcome(syscall(SYS_sched_setattr, 0, &large, 1)));
    printf(", room: %s", outcome(syscall(SYS_sched_getattr, 0, &large, 8, 0)));
    printf(", nowhere: %s\n", outcome(syscall(SYS_sched_getattr, 0, 8, 48, 0)));
    printf("nice: %s", outcome(set_attributes(0, SCHED_OTHER, 4, 0)));
    printf(" %d\n", getpriority(PRIO_PROCESS, 0) == nicer(4));
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    first_nice = getpriority(PRIO_PROCESS, 0);
    processes();
    threads();
    errors();
    inheritance(); /* what it sets, only the superuser can take back */
    return 0;
}
