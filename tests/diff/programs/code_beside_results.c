/* Shows system calls that write their results into pages that code was executed from just before: into one of
 * them, from a page without code into one, and from one over into the next.  Results and bytes must be those
 * that the same call leaves in ordinary memory, and the code must stay as it was.
 *
 * Any argument: the calls that qemu-riscv64 7.2 gets wrong in this place; hence .expected for them. */
#include "common.h"
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>

#define PAGE 4096
#define CODE_AT 2048 /* in each page that has code */
#define MOST 512     /* bytes of any result */
#define ALL (PROT_READ | PROT_WRITE | PROT_EXEC)

static char *pages; /* three, of which the second and the third have code */
static const char text[64] = "Sixty-four bytes that are read from a pipe, a file or a socket.";
static int home, file, ends[2], pair[2], listener, poller, timer_file;

/* A new page has no history: that another call was repaired says nothing about this one. */
static void map_pages(void)
{
    if (pages != NULL) {
        REQUIRE(munmap(pages, 3 * PAGE) == 0);
    }
    pages = mmap(NULL, 3 * PAGE, ALL, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED);
    for (unsigned i = 1; i < 3; i++) {
        uint32_t *code = (uint32_t *)(void *)(pages + i * PAGE + CODE_AT);
        code[0] = (70 + i) << 20 | 10u << 7 | 0x13; /* li a0, ... */
        code[1] = 0x00008067;                       /* ret */
    }
    __builtin___clear_cache(pages, pages + 3 * PAGE);
}

/* Calls that read what they overwrite set that up first, and execute the code again. */
static bool run_code(void)
{
    bool right = true;

    for (int i = 1; i < 3; i++) {
        right = right && ((int (*)(void))(pages + i * PAGE + CODE_AT))() == 70 + i;
    }
    return right;
}

static void fill_pipe(void)
{
    REQUIRE(write(ends[1], text, sizeof(text)) == sizeof(text));
}

static long empty_pipe(long result)
{
    char rest[sizeof(text)];

    REQUIRE(read(ends[0], rest, sizeof(rest)) > 0);
    return result;
}

static long by_read(char *at)
{
    fill_pipe();
    return syscall(SYS_read, ends[0], at, sizeof(text));
}

static long by_readv(char *at)
{
    struct iovec parts[] = {{at, 10}, {at + 16, 20}, {at + 36, 34}};

    fill_pipe();
    return syscall(SYS_readv, ends[0], parts, 3);
}

static long by_pread(char *at)
{
    return syscall(SYS_pread64, file, at, sizeof(text), 0);
}

static long by_preadv(char *at)
{
    struct iovec parts[] = {{at + 40, 24}, {at, 40}};

    return syscall(SYS_preadv, file, parts, 2, 0, 0);
}

static long by_recv(char *at)
{
    REQUIRE(send(pair[1], text, sizeof(text), 0) == sizeof(text));
    return syscall(SYS_recvfrom, pair[0], at, sizeof(text), 0, NULL, NULL);
}

/* Data, the sender's name and the name's length. */
static long by_recvfrom(char *at)
{
    socklen_t *length = (socklen_t *)(void *)(at + 192);

    *length = 120;
    REQUIRE(send(pair[1], text, sizeof(text), 0) == sizeof(text) && run_code());
    return syscall(SYS_recvfrom, pair[0], at, sizeof(text), 0, at + 64, length);
}

static void send_descriptor(int descriptor)
{
    char control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {(void *)(uintptr_t)text, sizeof(text)};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof(control)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    *header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(header), &descriptor, sizeof(descriptor));
    REQUIRE(sendmsg(pair[1], &message, 0) == sizeof(text));
}

/* The header, which is written to, too; then data and a descriptor.  Pointers are not compared. */
static long receive(char *at, bool several)
{
    struct mmsghdr *message = (struct mmsghdr *)(void *)at;
    struct iovec part = {at + 64, sizeof(text)};
    const struct msghdr header = {NULL, 0, &part, 1, at + 128, CMSG_SPACE(sizeof(int)), -1};
    int descriptor = -1;

    message->msg_hdr = header;
    send_descriptor(ends[0]);
    REQUIRE(run_code());
    const long result = several ? syscall(SYS_recvmmsg, pair[0], message, 1, 0, NULL)
                                : syscall(SYS_recvmsg, pair[0], message, 0);
    memcpy(&descriptor, CMSG_DATA((struct cmsghdr *)(void *)(at + 128)), sizeof(descriptor));
    REQUIRE(result < 0 || close(descriptor) == 0);
    message->msg_hdr.msg_iov = NULL;
    message->msg_hdr.msg_control = NULL;
    return result;
}

static long by_recvmsg(char *at)
{
    return receive(at, false);
}

static long by_recvmmsg(char *at)
{
    return receive(at, true);
}

static long by_getrandom(char *at)
{
    return syscall(SYS_getrandom, at, 128, 0);
}

static long by_getcwd(char *at)
{
    REQUIRE(chdir("/proc") == 0);
    const long result = syscall(SYS_getcwd, at, 64);
    REQUIRE(fchdir(home) == 0);
    return result;
}

static long by_readlinkat(char *at)
{
    return syscall(SYS_readlinkat, home, "link", at, 64);
}

static long by_getdents(char *at)
{
    REQUIRE(lseek(home, 0, SEEK_SET) == 0);
    return syscall(SYS_getdents64, home, at, MOST);
}

static long by_fstat(char *at)
{
    return syscall(SYS_fstat, home, at);
}

static long by_newfstatat(char *at)
{
    return syscall(SYS_newfstatat, home, "link", at, AT_SYMLINK_NOFOLLOW);
}

static long by_statx(char *at)
{
    return syscall(SYS_statx, home, "data", 0, STATX_BASIC_STATS, at);
}

static long by_statfs(char *at)
{
    return syscall(SYS_statfs, ".", at);
}

static long by_fstatfs(char *at)
{
    return syscall(SYS_fstatfs, file, at);
}

static long close_both(long result, const char *at)
{
    const int *made = (const int *)(const void *)at;

    REQUIRE(result != 0 || (close(made[0]) == 0 && close(made[1]) == 0));
    return result;
}

static long by_pipe2(char *at)
{
    return close_both(syscall(SYS_pipe2, at, 0), at);
}

static long by_socketpair(char *at)
{
    return close_both(syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, at), at);
}

static long by_getsockname(char *at)
{
    *(socklen_t *)(void *)at = 110;
    REQUIRE(run_code());
    return syscall(SYS_getsockname, listener, at + 16, at);
}

static long by_getsockopt(char *at)
{
    *(socklen_t *)(void *)at = 4;
    REQUIRE(run_code());
    return syscall(SYS_getsockopt, listener, SOL_SOCKET, SO_TYPE, at + 12, at);
}

static long by_accept(char *at)
{
    const struct sockaddr_un name = {AF_UNIX, "listener"};
    const int caller = socket(AF_UNIX, SOCK_STREAM, 0);

    *(socklen_t *)(void *)at = 110;
    REQUIRE(connect(caller, (const struct sockaddr *)&name, sizeof(name)) == 0 && run_code());
    const long result = syscall(SYS_accept4, listener, at + 16, at, 0);
    REQUIRE(close(caller) == 0 && (result < 0 || close((int)result) == 0));
    return result;
}

static long by_ioctl(char *at)
{
    fill_pipe();
    return empty_pipe(syscall(SYS_ioctl, ends[0], FIONREAD, at));
}

static long by_ppoll(char *at)
{
    struct pollfd *polled = (struct pollfd *)(void *)at;

    polled[0] = (struct pollfd){.fd = ends[0], .events = POLLIN};
    polled[1] = (struct pollfd){.fd = ends[1], .events = POLLOUT};
    REQUIRE(run_code());
    return syscall(SYS_ppoll, polled, 2, NULL, NULL, 8);
}

static long by_pselect(char *at)
{
    fd_set *sets = (fd_set *)(void *)at;

    memset(sets, 0, 2 * sizeof(fd_set));
    FD_SET(ends[0], &sets[0]);
    FD_SET(ends[1], &sets[1]);
    REQUIRE(run_code());
    return syscall(SYS_pselect6, ends[1] + 1, &sets[0], &sets[1], NULL, NULL, NULL);
}

static long by_epoll(char *at)
{
    return syscall(SYS_epoll_pwait, poller, at, 4, 0, NULL, 8);
}

static long by_sendfile(char *at)
{
    *(uint64_t *)(void *)at = 3;
    REQUIRE(run_code());
    return empty_pipe(syscall(SYS_sendfile, ends[1], file, at, 20));
}

static long by_splice(char *at)
{
    *(uint64_t *)(void *)at = 5;
    REQUIRE(run_code());
    return empty_pipe(syscall(SYS_splice, file, at, ends[1], NULL, 20, 0));
}

/* The structure has a gap, which is not compared. */
static long by_sigaltstack(char *at)
{
    const long result = syscall(SYS_sigaltstack, NULL, at);

    memset(at + 12, 0, 4);
    return result;
}

static long by_sigaction(char *at)
{
    return syscall(SYS_rt_sigaction, SIGUSR2, NULL, at, 8);
}

static long by_sigprocmask(char *at)
{
    return syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, at, 8);
}

static long by_sigpending(char *at)
{
    return syscall(SYS_rt_sigpending, at, 8);
}

static long by_sigtimedwait(char *at)
{
    const uint64_t set = UINT64_C(1) << (SIGUSR1 - 1);

    REQUIRE(kill(getpid(), SIGUSR1) == 0);
    return syscall(SYS_rt_sigtimedwait, &set, at, NULL, 8);
}

static void start_child(void)
{
    if (fork() == 0) {
        _exit(7);
    }
}

static long by_wait4(char *at)
{
    start_child();
    return syscall(SYS_wait4, -1, at, 0, at + 8) > 0 ? 1 : -1;
}

static long by_waitid(char *at)
{
    start_child();
    return syscall(SYS_waitid, P_ALL, 0, at, WEXITED, NULL);
}

/* The kernel writes the child's number here in the parent, and there in the child. */
static long by_clone(char *at)
{
    int *number = (int *)(void *)at;
    const long flags = CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | SIGCHLD;
    const long child = syscall(SYS_clone, flags, NULL, number, NULL, number + 1);
    int status = 0;

    if (child == 0) {
        _exit(number[1] == syscall(SYS_gettid) ? 0 : 1);
    }
    REQUIRE(child < 0 || waitpid((pid_t)child, &status, 0) == child);
    return child > 0 && number[0] == child ? status : -1;
}

static long by_clock(char *at)
{
    return syscall(SYS_clock_gettime, CLOCK_REALTIME, at) |
           syscall(SYS_clock_gettime, CLOCK_MONOTONIC, at + 16);
}

static long by_clock_getres(char *at)
{
    return syscall(SYS_clock_getres, CLOCK_MONOTONIC, at);
}

static long by_gettimeofday(char *at)
{
    return syscall(SYS_gettimeofday, at, NULL);
}

static long by_times(char *at)
{
    return syscall(SYS_times, at) == -1 ? -1 : 0;
}

static long by_getrusage(char *at)
{
    return syscall(SYS_getrusage, RUSAGE_SELF, at);
}

static long by_sysinfo(char *at)
{
    return syscall(SYS_sysinfo, at);
}

static long by_getitimer(char *at)
{
    return syscall(SYS_getitimer, ITIMER_REAL, at);
}

static long by_setitimer(char *at)
{
    const struct itimerval none = {{0, 0}, {0, 0}};

    return syscall(SYS_setitimer, ITIMER_REAL, &none, at);
}

/* Its number, and what is left of it. */
static long by_timer(char *at)
{
    struct sigevent event = {.sigev_notify = SIGEV_NONE};

    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, at) != 0) {
        return -1;
    }
    const int timer = *(int *)(void *)at;
    const long result = syscall(SYS_timer_gettime, timer, at + 16);
    REQUIRE(syscall(SYS_timer_delete, timer) == 0);
    return result;
}

static long by_timerfd(char *at)
{
    return syscall(SYS_timerfd_gettime, timer_file, at);
}

static long by_prlimit(char *at)
{
    return syscall(SYS_prlimit64, 0, RLIMIT_CORE, NULL, at);
}

static long by_uname(char *at)
{
    return syscall(SYS_uname, at);
}

static long by_getresuid(char *at)
{
    return syscall(SYS_getresuid, at, at + 4, at + 8);
}

static long by_affinity(char *at)
{
    return syscall(SYS_sched_getaffinity, 0, 128, at) > 0 ? 0 : -1;
}

static long by_sched_getparam(char *at)
{
    return syscall(SYS_sched_getparam, 0, at);
}

static long by_prctl(char *at)
{
    return syscall(SYS_prctl, PR_GET_NAME, at);
}

static long by_capget(char *at)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};

    return syscall(SYS_capget, &header, at);
}

static long by_mincore(char *at)
{
    return syscall(SYS_mincore, (uintptr_t)text & -(uintptr_t)PAGE, PAGE, at);
}

/* Adds 5 to the second word, and nobody waits. */
static long by_futex(char *at)
{
    uint32_t *words = (uint32_t *)(void *)at;

    words[0] = 1;
    words[1] = 2;
    REQUIRE(run_code());
    return syscall(SYS_futex, words, FUTEX_WAKE_OP, 1, 1, words + 1,
                   FUTEX_OP(FUTEX_OP_ADD, 5, FUTEX_OP_CMP_EQ, 2));
}

/* `varies`: what is written is not the same twice, only where. */
struct call {
    const char *name;
    long (*make)(char *at);
    size_t bytes;
    bool varies;
};

static const struct call calls[] = {
    {"read", by_read, 64, false},
    {"readv", by_readv, 80, false},
    {"pread64", by_pread, 64, false},
    {"preadv", by_preadv, 64, false},
    {"recvfrom", by_recv, 64, false},
    {"recvfrom with a name", by_recvfrom, 208, false},
    {"recvmsg", by_recvmsg, 160, false},
    {"recvmmsg", by_recvmmsg, 160, false},
    {"getrandom", by_getrandom, 128, true},
    {"getcwd", by_getcwd, 64, false},
    {"readlinkat", by_readlinkat, 64, false},
    {"getdents64", by_getdents, MOST, false},
    {"fstat", by_fstat, sizeof(struct stat), false},
    {"newfstatat", by_newfstatat, sizeof(struct stat), false},
    {"statx", by_statx, sizeof(struct statx), true},
    {"statfs", by_statfs, sizeof(struct statfs), true},
    {"fstatfs", by_fstatfs, sizeof(struct statfs), true},
    {"pipe2", by_pipe2, 16, false},
    {"socketpair", by_socketpair, 16, false},
    {"getsockname", by_getsockname, 128, false},
    {"getsockopt", by_getsockopt, 16, false},
    {"accept4", by_accept, 128, false},
    {"ioctl", by_ioctl, 16, false},
    {"ppoll", by_ppoll, 16, false},
    {"pselect6", by_pselect, 2 * sizeof(fd_set), false},
    {"epoll_pwait", by_epoll, 4 * sizeof(struct epoll_event), false},
    {"sendfile", by_sendfile, 16, false},
    {"splice", by_splice, 16, false},
    {"sigaltstack", by_sigaltstack, 32, false},
    {"rt_sigaction", by_sigaction, 32, false},
    {"rt_sigprocmask", by_sigprocmask, 16, false},
    {"rt_sigpending", by_sigpending, 16, false},
    {"rt_sigtimedwait", by_sigtimedwait, sizeof(siginfo_t), false},
    {"wait4", by_wait4, 8 + sizeof(struct rusage), true},
    {"waitid", by_waitid, sizeof(siginfo_t), true},
    {"clock_gettime", by_clock, 32, true},
    {"clock_getres", by_clock_getres, 16, false},
    {"gettimeofday", by_gettimeofday, 16, true},
    {"times", by_times, sizeof(struct tms), true},
    {"getrusage", by_getrusage, sizeof(struct rusage), true},
    {"sysinfo", by_sysinfo, sizeof(struct sysinfo), true},
    {"getitimer", by_getitimer, sizeof(struct itimerval), false},
    {"setitimer", by_setitimer, sizeof(struct itimerval), false},
    {"timer_create, timer_gettime", by_timer, 48, true},
    {"timerfd_gettime", by_timerfd, sizeof(struct itimerspec), false},
    {"prlimit64", by_prlimit, 16, false},
    {"uname", by_uname, sizeof(struct utsname), false},
    {"getresuid", by_getresuid, 16, false},
    {"sched_getaffinity", by_affinity, 128, false},
    {"sched_getparam", by_sched_getparam, 16, false},
    {"prctl", by_prctl, 16, false},
    {"capget", by_capget, 32, false},
};

static const struct call more_calls[] = {
    {"clone", by_clone, 16, true},
    {"mincore", by_mincore, 16, false},
    {"futex", by_futex, 16, false},
};

/* Where a call writes is seen on several backgrounds: no byte is like each of them by chance. */
static bool right_at(const struct call *call, size_t offset)
{
    static const int backgrounds[] = {0x00, 0x5a, 0xa5, 0xff};
    static char plain[MOST] __attribute__((aligned(16)));
    bool written[2][MOST] = {{false}};
    bool right = true;

    for (size_t i = 0; i < 4; i++) {
        memset(plain, backgrounds[i], call->bytes);
        const long wanted = call->make(plain);
        map_pages();
        char *at = pages + offset;
        memset(at, backgrounds[i], call->bytes);
        right = right && run_code();
        right = right && call->make(at) == wanted && run_code();
        right = right && (call->varies || memcmp(at, plain, call->bytes) == 0);
        for (size_t byte = 0; byte < call->bytes; byte++) {
            written[0][byte] |= plain[byte] != (char)backgrounds[i];
            written[1][byte] |= at[byte] != (char)backgrounds[i];
        }
    }
    return right && memcmp(written[0], written[1], sizeof(written[0])) == 0;
}

static void show(const struct call *call)
{
    const size_t half = call->bytes / 16 * 8;
    char plain[MOST] __attribute__((aligned(16))) = {0};

    REQUIRE(call->bytes <= MOST);
    if (call->make(plain) < 0) {
        printf("%s: %s\n", call->name, error_name(errno));
        return;
    }
    printf("%s: %s, %s, %s\n", call->name, right_at(call, PAGE + 64) ? "right" : "WRONG within",
           right_at(call, PAGE - half) ? "right" : "WRONG into",
           right_at(call, 2 * PAGE - half) ? "right" : "WRONG from one into another");
}

static void prepare(void)
{
    const struct sockaddr_un name = {AF_UNIX, "sender"};
    const struct sockaddr_un listening = {AF_UNIX, "listener"};
    struct epoll_event event = {.events = EPOLLOUT, .data.u64 = 0x123456789abcdef};
    sigset_t set;

    home = open(".", O_RDONLY | O_DIRECTORY);
    file = open("data", O_CREAT | O_RDWR | O_TRUNC, 0600);
    REQUIRE(home >= 0 && write(file, text, sizeof(text)) == sizeof(text));
    REQUIRE(symlink("a place that is not there", "link") == 0 && pipe(ends) == 0);
    REQUIRE(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
    REQUIRE(bind(pair[1], (const struct sockaddr *)&name, sizeof(name)) == 0);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(bind(listener, (const struct sockaddr *)&listening, sizeof(listening)) == 0);
    REQUIRE(listen(listener, 4) == 0);
    poller = epoll_create1(0);
    REQUIRE(epoll_ctl(poller, EPOLL_CTL_ADD, ends[1], &event) == 0);
    timer_file = timerfd_create(CLOCK_MONOTONIC, 0);
    REQUIRE(timer_file >= 0 && sigemptyset(&set) == 0 && sigaddset(&set, SIGUSR1) == 0);
    REQUIRE(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
}

int main(int argc, char **argv)
{
    const struct call *first = argc == 1 ? calls : more_calls;
    const size_t count = (argc == 1 ? sizeof(calls) : sizeof(more_calls)) / sizeof(*first);

    (void)argv;
    prepare();
    map_pages();
    for (size_t i = 0; i < count; i++) {
        show(&first[i]);
    }
    return 0;
}
