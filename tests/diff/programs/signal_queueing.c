/* Shows blocked signals: ordinary ones merge, real-time ones queue in order, lowest number
 * first. */
#include "common.h"
#include <signal.h>

/* Volatile, since the compiler knows that raise and sigprocmask do not call back. */
static volatile int order[100];
static volatile int count;

static void note(int number, siginfo_t *info, void *context)
{
    (void)context;
    order[count] = (number >= SIGRTMIN ? number - SIGRTMIN + 100 : number) * 1000 +
                   info->si_value.sival_int % 1000;
    count++;
}

int main(void)
{
    static const int numbers[] = {SIGUSR2, SIGUSR1, SIGHUP};
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
    sigset_t all;
    sigset_t pending;

    sigfillset(&all);
    action.sa_mask = all;
    REQUIRE(sigprocmask(SIG_BLOCK, &all, NULL) == 0);
    for (int i = 0; i < 3; i++) {
        REQUIRE(sigaction(SIGRTMIN + i, &action, NULL) == 0);
        REQUIRE(sigaction(numbers[i], &action, NULL) == 0);
    }
    for (int i = 0; i < 5; i++) {
        for (int k = 2; k >= 0; k--) {
            REQUIRE(sigqueue(getpid(), SIGRTMIN + k, (union sigval){.sival_int = i * 10 + k}) == 0);
            REQUIRE(sigqueue(getpid(), numbers[k], (union sigval){.sival_int = 7}) == 0);
        }
    }
    REQUIRE(sigpending(&pending) == 0);
    printf("pending %d %d %d %d, none handled %d\n", sigismember(&pending, SIGUSR1),
           sigismember(&pending, SIGRTMIN), sigismember(&pending, SIGRTMIN + 2),
           sigismember(&pending, SIGTERM), count);
    for (int i = 0; i < 3; i++) {
        sigset_t one;

        sigemptyset(&one);
        sigaddset(&one, SIGRTMIN + i);
        REQUIRE(sigprocmask(SIG_UNBLOCK, &one, NULL) == 0);
    }
    for (int i = 0; i < count; i++) {
        printf("%d%c", order[i], i == count - 1 ? '\n' : ' ');
    }
    count = 0;
    REQUIRE(sigprocmask(SIG_UNBLOCK, &all, NULL) == 0);
    printf("ordinary ones merged into %d\n", count);
    return 0;
}
