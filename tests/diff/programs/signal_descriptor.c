/* Shows signalfd: blocked signals read as records, in order, with their values. */
#include "common.h"
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

int main(void)
{
    struct signalfd_siginfo records[4];
    sigset_t mask;
    union sigval value = {.sival_int = 55};
    int descriptor = 0;
    struct pollfd set;
    ssize_t size = 0;

    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    sigaddset(&mask, SIGRTMIN + 2);
    REQUIRE(sigprocmask(SIG_BLOCK, &mask, NULL) == 0);
    descriptor = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
    REQUIRE(descriptor >= 0);
    set = (struct pollfd){descriptor, POLLIN, 0};
    printf("nothing: %s, poll %d\n", outcome(read(descriptor, records, sizeof(records))),
           poll(&set, 1, 0));
    REQUIRE(raise(SIGUSR1) == 0 && raise(SIGUSR1) == 0);
    REQUIRE(sigqueue(getpid(), SIGRTMIN + 2, value) == 0);
    value.sival_int = 66;
    REQUIRE(sigqueue(getpid(), SIGRTMIN + 2, value) == 0);
    printf("poll %d\n", poll(&set, 1, 0));
    size = read(descriptor, records, sizeof(records));
    REQUIRE(size > 0);
    for (size_t i = 0; i < (size_t)size / sizeof(records[0]); i++) {
        printf("signal %u value %d own %d\n", records[i].ssi_signo,
               records[i].ssi_signo == SIGUSR1 ? 0 : records[i].ssi_int,
               records[i].ssi_pid == (uint32_t)getpid());
    }
    printf("then: %s\n", outcome(read(descriptor, records, sizeof(records))));
    return 0;
}
