/* Shows waiting for signals: sigsuspend, sigwait, sigwaitinfo, sigtimedwait, SIGCHLD. */
#include "common.h"
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static volatile sig_atomic_t handled;

static void note(int number)
{
    handled = number;
}

int main(void)
{
    sigset_t blocked;
    sigset_t none;
    siginfo_t info;
    int number = 0;
    pid_t child = 0;
    struct timespec time = {0, 10000000};

    sigemptyset(&none);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigaddset(&blocked, SIGUSR2);
    sigaddset(&blocked, SIGCHLD);
    sigaddset(&blocked, SIGRTMIN + 3);
    REQUIRE(sigprocmask(SIG_BLOCK, &blocked, NULL) == 0 && signal(SIGUSR1, note) != SIG_ERR);
    REQUIRE(raise(SIGUSR1) == 0 && handled == 0);
    printf("suspended: %s", outcome(sigsuspend(&none)));
    printf(", handled %d\n", handled == SIGUSR1);
    REQUIRE(raise(SIGUSR2) == 0 && sigwait(&blocked, &number) == 0);
    printf("waited: %d\n", number == SIGUSR2);
    REQUIRE(sigqueue(getpid(), SIGRTMIN + 3, (union sigval){.sival_int = 4321}) == 0);
    REQUIRE(sigwaitinfo(&blocked, &info) == SIGRTMIN + 3);
    printf("information: value %d, code %d\n", info.si_value.sival_int, info.si_code);
    printf("time-out: %s\n", outcome(sigtimedwait(&blocked, &info, &time)));
    time.tv_nsec = 0;
    printf("no waiting: %s\n", outcome(sigtimedwait(&blocked, &info, &time)));
    child = fork();
    if (child == 0) {
        _exit(19);
    }
    REQUIRE(sigwaitinfo(&blocked, &info) == SIGCHLD);
    printf("child: right %d, code %d, status %d\n", info.si_pid == child, info.si_code,
           info.si_status);
    REQUIRE(waitpid(child, NULL, 0) == child);
    child = fork();
    if (child == 0) {
        REQUIRE(kill(getppid(), SIGUSR2) == 0);
        _exit(0);
    }
    number = 0;
    for (int i = 0; i < 2; i++) {
        int got = sigwaitinfo(&blocked, &info);

        number += got == SIGUSR2 && info.si_pid == child && info.si_code == SI_USER ? 1 : 0;
        number += got == SIGCHLD && info.si_code == CLD_EXITED ? 10 : 0;
    }
    printf("from the child: %d\n", number);
    return 0;
}
