/* Shows system calls that wait, with their results in a page that becomes code meanwhile: another thread executes
 * a function there before that happens which is waited for.  Last what the kernel writes when a thread ends.
 *
 * Any argument: the calls that qemu-riscv64 7.2 lets fail in this place; hence .expected for them. */
#include "common.h"
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#define PAGE 4096
#define CODE_AT 2048
#define MOST 256
#define ROUNDS 3

struct job {
    const struct call *call;
    char *at;
    pthread_t thread;
    long result;
    int begun, done;
};

static const char text[64] = "Sixty-four bytes that somebody sends to those that wait for it.";
static char *page;
static int ends[2], pair[2], gate[2], listener, poller;

static void map_page(void)
{
    if (page != NULL) {
        REQUIRE(munmap(page, PAGE) == 0);
    }
    page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(page != MAP_FAILED);
    memcpy(page + CODE_AT, (uint32_t[]){77u << 20 | 10u << 7 | 0x13, 0x00008067}, 8);
    __builtin___clear_cache(page, page + PAGE);
}

static bool run_code(void)
{
    return ((long (*)(void))(page + CODE_AT))() == 77;
}

/* For another thread to begin its call.  If that has not begun, all is right as well, but nothing is shown. */
static void wait_a_moment(void)
{
    nanosleep(&(struct timespec){0, 10000000}, NULL);
}

static void fill_pipe(struct job *job)
{
    (void)job;
    REQUIRE(write(ends[1], text, sizeof(text)) == sizeof(text));
}

static long empty_pipe(long result)
{
    char rest[sizeof(text)];

    REQUIRE(read(ends[0], rest, sizeof(rest)) == sizeof(rest));
    return result;
}

static long wait_read(char *at)
{
    return read(ends[0], at, 100);
}

static long wait_ppoll(char *at)
{
    struct pollfd *polled = (struct pollfd *)(void *)at;

    *polled = (struct pollfd){.fd = ends[0], .events = POLLIN};
    return empty_pipe(ppoll(polled, 1, NULL, NULL));
}

static long wait_pselect(char *at)
{
    fd_set *set = (fd_set *)(void *)at;

    FD_ZERO(set);
    FD_SET(ends[0], set);
    FD_SET(pair[0], set);
    return empty_pipe(pselect(pair[0] + 1, set, NULL, NULL, NULL, NULL));
}

static long wait_epoll(char *at)
{
    return empty_pipe(epoll_wait(poller, (struct epoll_event *)(void *)at, 4, -1));
}

static long wait_recvfrom(char *at)
{
    socklen_t *length = (socklen_t *)(void *)(at + 192);

    *length = 120;
    return recvfrom(pair[0], at, 64, 0, (struct sockaddr *)(void *)(at + 64), length);
}

static long wait_recvmsg(char *at)
{
    struct iovec parts[] = {{at, 10}, {at + 16, 54}};
    struct msghdr message = {at + 80, 110, parts, 2, NULL, 0, 0};

    return recvmsg(pair[0], &message, 0);
}

static void send_text(struct job *job)
{
    (void)job;
    REQUIRE(send(pair[1], text, sizeof(text), 0) == sizeof(text));
}

static long wait_accept(char *at)
{
    socklen_t *length = (socklen_t *)(void *)at;

    *length = 120;
    const int accepted = accept(listener, (struct sockaddr *)(void *)(at + 16), length);
    return accepted >= 0 && close(accepted) == 0 ? 1 : -1;
}

static void connect_once(struct job *job)
{
    const struct sockaddr_un name = {AF_UNIX, "listener"};
    const int caller = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)job;
    REQUIRE(connect(caller, (const struct sockaddr *)&name, sizeof(name)) == 0);
    REQUIRE(close(caller) == 0);
}

/* The child ends when it gets a byte. */
static long wait_child(char *at)
{
    char byte = 0;
    const pid_t child = fork();

    if (child == 0) {
        _exit(read(gate[0], &byte, 1) == 1 ? 9 : 1);
    }
    return waitpid(child, (int *)(void *)at, 0) == child ? 1 : -1;
}

static void end_child(struct job *job)
{
    (void)job;
    REQUIRE(write(gate[1], "", 1) == 1);
}

static long wait_signal(char *at)
{
    sigset_t set;

    REQUIRE(sigemptyset(&set) == 0 && sigaddset(&set, SIGUSR1) == 0);
    return sigwaitinfo(&set, (siginfo_t *)(void *)at);
}

static void send_signal(struct job *job)
{
    (void)job;
    REQUIRE(kill(getpid(), SIGUSR1) == 0);
}

static void note(int number)
{
    (void)number;
}

/* A signal ends it long before its time; how long is left is not the same twice. */
static long wait_time(char *at)
{
    const struct timespec much = {1000, 0};
    struct timespec *left = (struct timespec *)(void *)at;
    const long result = nanosleep(&much, left);
    const bool some = left->tv_sec >= 900 && left->tv_sec <= 1000;

    memset(left, 0, sizeof(*left));
    return result == -1 && errno == EINTR && some ? 1 : 0;
}

/* A signal that comes before the call does not end it: there are more. */
static void interrupt(struct job *job)
{
    while (!__atomic_load_n(&job->done, __ATOMIC_ACQUIRE)) {
        REQUIRE(pthread_kill(job->thread, SIGUSR2) == 0);
        wait_a_moment();
    }
}

struct call {
    const char *name;
    long (*make)(char *at);
    void (*happen)(struct job *job);
};

static const struct call calls[] = {
    {"ppoll", wait_ppoll, fill_pipe},       {"pselect6", wait_pselect, fill_pipe},
    {"epoll_pwait", wait_epoll, fill_pipe}, {"accept", wait_accept, connect_once},
    {"wait4", wait_child, end_child},       {"rt_sigtimedwait", wait_signal, send_signal},
    {"nanosleep", wait_time, interrupt},
};

static const struct call transfers[] = {
    {"read", wait_read, fill_pipe},
    {"recvfrom", wait_recvfrom, send_text},
    {"recvmsg", wait_recvmsg, send_text},
};

static void *work(void *argument)
{
    struct job *job = argument;

    __atomic_store_n(&job->begun, 1, __ATOMIC_RELEASE);
    job->result = job->call->make(job->at);
    __atomic_store_n(&job->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

static long run(const struct call *call, char *at)
{
    struct job job = {.call = call, .at = at};

    REQUIRE(pthread_create(&job.thread, NULL, work, &job) == 0);
    while (!__atomic_load_n(&job.begun, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
    wait_a_moment();
    REQUIRE(run_code() && run_code());
    call->happen(&job);
    REQUIRE(pthread_join(job.thread, NULL) == 0);
    return job.result;
}

static void show(const struct call *call)
{
    char plain[MOST] __attribute__((aligned(16))) = {0};
    const long wanted = run(call, plain);
    unsigned wrong = 0;

    for (int i = 0; i < ROUNDS; i++) {
        map_page();
        wrong += run(call, page + 64) != wanted;
        wrong += memcmp(page + 64, plain, MOST) != 0 || !run_code();
    }
    printf("%s: %ld, wrong %u\n", call->name, wanted, wrong);
}

/* The kernel clears the word and wakes who waits for that. */
static void *end_soon(void *word)
{
    *(int *)word = (int)syscall(SYS_set_tid_address, word);
    REQUIRE(run_code());
    return NULL;
}

static void show_thread_end(void)
{
    unsigned wrong = 0;

    for (int i = 0; i < ROUNDS; i++) {
        pthread_attr_t detached;
        pthread_t thread;

        map_page();
        int *word = (int *)(void *)(page + 128);
        *word = -1;
        REQUIRE(pthread_attr_init(&detached) == 0);
        REQUIRE(pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED) == 0);
        REQUIRE(pthread_create(&thread, &detached, end_soon, word) == 0);
        for (int now; (now = __atomic_load_n(word, __ATOMIC_ACQUIRE)) != 0;) {
            syscall(SYS_futex, word, FUTEX_WAIT, now, NULL, NULL, 0);
        }
        wrong += !run_code();
    }
    printf("a thread ends: wrong %u\n", wrong);
}

static void *lock_and_end(void *lock)
{
    REQUIRE(pthread_mutex_lock(lock) == 0 && run_code());
    return NULL;
}

static void show_robust_lock(void)
{
    pthread_mutexattr_t robust;
    pthread_t thread;

    REQUIRE(pthread_mutexattr_init(&robust) == 0);
    REQUIRE(pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        map_page();
        pthread_mutex_t *lock = (pthread_mutex_t *)(void *)(page + 256);
        REQUIRE(pthread_mutex_init(lock, &robust) == 0 && run_code());
        REQUIRE(pthread_create(&thread, NULL, lock_and_end, lock) == 0);
        REQUIRE(pthread_join(thread, NULL) == 0);
        printf("a lock is left behind: %s\n", error_name(pthread_mutex_lock(lock)));
        REQUIRE(pthread_mutex_consistent(lock) == 0 && pthread_mutex_unlock(lock) == 0);
    }
}

static void prepare(void)
{
    const struct sockaddr_un sender = {AF_UNIX, "sender"}, listening = {AF_UNIX, "listener"};
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 0x123456789abcdef};
    struct sigaction action = {.sa_handler = note};
    sigset_t set;

    REQUIRE(pipe(ends) == 0 && pipe(gate) == 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
    REQUIRE(bind(pair[1], (const struct sockaddr *)&sender, sizeof(sender)) == 0);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(bind(listener, (const struct sockaddr *)&listening, sizeof(listening)) == 0);
    REQUIRE(listen(listener, 4) == 0);
    poller = epoll_create1(0);
    REQUIRE(epoll_ctl(poller, EPOLL_CTL_ADD, ends[0], &event) == 0);
    REQUIRE(sigaction(SIGUSR2, &action, NULL) == 0 && sigemptyset(&set) == 0);
    REQUIRE(sigaddset(&set, SIGUSR1) == 0 && pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
}

int main(int argc, char **argv)
{
    const struct call *first = argc == 1 ? calls : transfers;
    const size_t count = (argc == 1 ? sizeof(calls) : sizeof(transfers)) / sizeof(*first);

    (void)argv;
    prepare();
    map_page();
    for (size_t i = 0; i < count; i++) {
        show(&first[i]);
    }
    show_thread_end();
    show_robust_lock();
    return 0;
}
