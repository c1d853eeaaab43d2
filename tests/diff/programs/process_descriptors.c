/* Descriptors of processes: what they are for, and when they are ready. */
#include "common.h"
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

static int open_process(pid_t pid, unsigned flags)
{
    return (int)syscall(SYS_pidfd_open, pid, flags);
}

static int send(int descriptor, int number, siginfo_t *info, unsigned flags)
{
    return (int)syscall(SYS_pidfd_send_signal, descriptor, number, info, flags);
}

static volatile int caught, caught_code, caught_value, caught_sender;

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    caught = number;
    caught_code = info->si_code;
    caught_value = info->si_value.sival_int;
    caught_sender = info->si_pid == getpid();
}

static pid_t start(int status)
{
    pid_t child = fork();

    if (child == 0) {
        while (status < 0) {
            pause();
        }
        _exit(status);
    }
    return child;
}

static int readable(int descriptor, int milliseconds)
{
    struct pollfd entry = {.fd = descriptor, .events = POLLIN};

    return poll(&entry, 1, milliseconds);
}

static void own(void)
{
    int descriptor = open_process(getpid(), 0);
    siginfo_t info = {.si_signo = SIGUSR2, .si_code = SI_QUEUE};

    REQUIRE(descriptor >= 0);
    printf("closed by exec: %d\n", (fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0);
    printf("alive: %s", outcome(send(descriptor, 0, NULL, 0)));
    printf(", send: %s", outcome(send(descriptor, SIGUSR1, NULL, 0)));
    printf(", caught %d, by user %d, from here %d\n", caught == SIGUSR1, caught_code == SI_USER,
           caught_sender);
    info.si_value.sival_int = 99;
    printf("with a value: %s", outcome(send(descriptor, SIGUSR2, &info, 0)));
    printf(", caught %d, %d, %d\n", caught == SIGUSR2, caught_code == SI_QUEUE, caught_value);
    printf("another signal: %s", outcome(send(descriptor, SIGUSR1, &info, 0)));
    printf(", flags: %s", outcome(send(descriptor, SIGUSR1, NULL, 1u << 30)));
    printf(", number: %s", outcome(send(descriptor, 65, NULL, 0)));
    printf(", not one: %s", outcome(send(0, SIGUSR1, NULL, 0)));
    printf(", ready %d\n", readable(descriptor, 0));
    close(descriptor);
    printf("closed: %s", outcome(send(descriptor, 0, NULL, 0)));
    printf(", nobody: %s", outcome(open_process(0, 0)));
    printf(", negative: %s", outcome(open_process(-1, 0)));
    printf(", flags: %s\n", outcome(open_process(getpid(), 1)));
}

static void child(void)
{
    pid_t pid = start(-1);
    int descriptor = open_process(pid, 0);
    siginfo_t info;

    REQUIRE(descriptor >= 0);
    printf("runs: ready %d", readable(descriptor, 0));
    memset(&info, 0, sizeof info);
    printf(", wait: %s", outcome(waitid(P_PIDFD, (id_t)descriptor, &info, WEXITED | WNOHANG)));
    printf(" %d", info.si_pid);
    info = (siginfo_t){.si_signo = SIGTERM, .si_code = SI_USER};
    printf(", as the kernel: %s", outcome(send(descriptor, SIGTERM, &info, 0)));
    printf(", send: %s", outcome(send(descriptor, SIGTERM, NULL, 0)));
    printf(", ready %d\n", readable(descriptor, -1));
    printf("wait: %s", outcome(waitid(P_PIDFD, (id_t)descriptor, &info, WEXITED)));
    printf(", it %d, killed %d, by %d\n", info.si_pid == pid, info.si_code == CLD_KILLED,
           info.si_status);
    printf("again: %s", outcome(waitid(P_PIDFD, (id_t)descriptor, &info, WEXITED)));
    printf(", send: %s", outcome(send(descriptor, SIGTERM, NULL, 0)));
    printf(", open: %s\n", outcome(open_process(pid, 0)));
    close(descriptor);
}

/* Waits in the call itself, not before it. */
static void blocking(void)
{
    pid_t pid = start(-1);
    int descriptor = open_process(pid, O_NONBLOCK), waiting = open_process(pid, 0);
    siginfo_t info;

    REQUIRE(descriptor >= 0 && waiting >= 0);
    printf("non-blocking: %s", outcome(waitid(P_PIDFD, (id_t)descriptor, &info, WEXITED)));
    pid_t killer = fork();
    if (killer == 0) {
        usleep(5000);
        _exit(send(waiting, SIGKILL, NULL, 0) == 0 ? 0 : 1);
    }
    int result = waitid(P_PIDFD, (id_t)waiting, &info, WEXITED);
    printf(", blocking: %s, by %d\n", outcome(result), info.si_status);
    int status;
    REQUIRE(waitpid(killer, &status, 0) == killer && status == 0);
    close(descriptor);
    close(waiting);
}

static void several(void)
{
    enum { CHILDREN = 3 };
    int epoll = epoll_create1(0), sum = 0;

    for (int i = 0; i < CHILDREN; i++) {
        struct epoll_event event = {.events = EPOLLIN};
        event.data.fd = open_process(start(i + 1), 0);
        REQUIRE(event.data.fd >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event) == 0);
    }
    for (int i = 0; i < CHILDREN; i++) {
        struct epoll_event event;
        siginfo_t info;
        REQUIRE(epoll_wait(epoll, &event, 1, -1) == 1);
        REQUIRE(waitid(P_PIDFD, (id_t)event.data.fd, &info, WEXITED) == 0);
        REQUIRE(epoll_ctl(epoll, EPOLL_CTL_DEL, event.data.fd, NULL) == 0);
        close(event.data.fd);
        sum += info.si_status;
    }
    printf("statuses %d\n", sum);
    close(epoll);
}

static void from_clone(void)
{
    int descriptor = -1;
    siginfo_t info;
    long pid = syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, NULL, &descriptor, NULL, NULL);

    if (pid == 0) {
        _exit(7);
    }
    REQUIRE(pid > 0);
    printf("from clone: %d", descriptor >= 0);
    REQUIRE(waitid(P_PIDFD, (id_t)descriptor, &info, WEXITED) == 0);
    printf(", it %d, status %d\n", info.si_pid == pid, info.si_status);
    printf("with the number: %s\n",
           outcome(syscall(SYS_clone, CLONE_PIDFD | CLONE_PARENT_SETTID | SIGCHLD, NULL,
                           &descriptor, NULL, NULL)));
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};

    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    own();
    child();
    blocking();
    several();
    from_clone();
    return 0;
}
