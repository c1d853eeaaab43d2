/* Shows poll and ppoll: readable, writable, hung up, invalid, time-outs. */
#include "common.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static void show(const char *what, int result, const struct pollfd *set, int count)
{
    printf("%s: %d", what, result);
    for (int i = 0; i < count; i++) {
        short got = set[i].revents;

        printf(" [%s%s%s%s%s]", got & POLLIN ? "in " : "", got & POLLOUT ? "out " : "",
               got & POLLHUP ? "hup " : "", got & POLLERR ? "err " : "",
               got & POLLNVAL ? "nval " : "");
    }
    printf("\n");
}

static volatile sig_atomic_t handled;

static void handle(int number)
{
    handled = number;
}

int main(void)
{
    int a[2];
    int b[2];
    struct pollfd set[4];
    sigset_t mask;
    sigset_t none;
    struct timespec time = {5, 0};

    REQUIRE(pipe(a) == 0 && pipe(b) == 0);
    set[0] = (struct pollfd){a[0], POLLIN, 0};
    set[1] = (struct pollfd){a[1], POLLOUT, 0};
    set[2] = (struct pollfd){b[0], POLLIN, 0};
    set[3] = (struct pollfd){-1, POLLIN, 0};
    show("empty", poll(set, 4, 0), set, 4);
    REQUIRE(write(a[1], "x", 1) == 1 && close(b[1]) == 0);
    show("written, closed", poll(set, 4, -1), set, 4);
    REQUIRE(close(a[0]) == 0);
    set[3] = (struct pollfd){b[1], POLLIN, 0};
    show("reader closed", poll(set, 4, 100), set, 4);
    REQUIRE(pipe(a) == 0);
    set[0] = (struct pollfd){a[0], POLLIN, 0};
    show("time-out", poll(set, 1, 20), set, 1);
    if (fork() == 0) {
        usleep(20000);
        REQUIRE(write(a[1], "late", 4) == 4);
        _exit(0);
    }
    show("woken by a child", poll(set, 1, 10000), set, 1);
    REQUIRE(wait(NULL) > 0);
    sigemptyset(&none);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    REQUIRE(sigprocmask(SIG_BLOCK, &mask, NULL) == 0 && signal(SIGUSR1, handle) != SIG_ERR);
    REQUIRE(raise(SIGUSR1) == 0);
    printf("blocked: %d\n", (int)handled);
    printf("ppoll: %s", outcome(ppoll(NULL, 0, &time, &none)));
    printf(", handled %d\n", handled == SIGUSR1);
    return 0;
}
