/* Shows the signal mask of ppoll, pselect and epoll_pwait: in force during the wait, then restored. */
#include "common.h"
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

static volatile sig_atomic_t handled;

static void count(int number)
{
    (void)number;
    handled++;
}

static void show(const char *name, int result, int error)
{
    sigset_t mask;
    sigset_t pending;

    REQUIRE(sigprocmask(SIG_BLOCK, NULL, &mask) == 0 && sigpending(&pending) == 0);
    printf("%-12s %d %s, handled %d, blocked %d, pending %d\n", name, result,
           result < 0 ? error_name(error) : "-", handled, sigismember(&mask, SIGUSR1),
           sigismember(&pending, SIGUSR1));
}

int main(void)
{
    struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
    struct timespec second = {1, 0};
    struct timespec moment = {0, 1000000};
    sigset_t none;
    sigset_t user;
    int ends[2];
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    struct pollfd entry;
    fd_set set;

    sigemptyset(&none);
    sigemptyset(&user);
    sigaddset(&user, SIGUSR1);
    REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0 && sigprocmask(SIG_BLOCK, &user, NULL) == 0);
    REQUIRE(pipe(ends) == 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
    entry = (struct pollfd){.fd = ends[0], .events = POLLIN};

    REQUIRE(raise(SIGUSR1) == 0);
    show("at first", 0, 0);
    show("poll", poll(&entry, 1, 1), errno);
    show("ppoll", ppoll(&entry, 1, &second, &none), errno);
    show("ppoll again", ppoll(&entry, 1, &moment, &none), errno);
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    REQUIRE(raise(SIGUSR1) == 0);
    show("pselect", pselect(ends[0] + 1, &set, NULL, NULL, &second, &none), errno);
    printf("set kept %d\n", FD_ISSET(ends[0], &set) != 0);
    REQUIRE(raise(SIGUSR1) == 0);
    show("epoll_pwait", epoll_pwait(epoll, &event, 1, 1000, &none), errno);
    show("epoll_wait", epoll_wait(epoll, &event, 1, 1), errno);

    /* What is ready counts more than a signal, which then stays pending. */
    REQUIRE(raise(SIGUSR1) == 0 && write(ends[1], "x", 1) == 1);
    show("ppoll ready", ppoll(&entry, 1, &second, &user), errno);
    show("pselect", pselect(ends[0] + 1, &set, NULL, NULL, NULL, &user), errno);
    show("epoll_pwait", epoll_pwait(epoll, &event, 1, -1, &user), errno);
    REQUIRE(sigprocmask(SIG_UNBLOCK, &user, NULL) == 0);
    show("at last", 0, 0);
    return 0;
}
