/* Shows leaving a handler by siglongjmp, with and without the mask restored, two thousand times. */
#include "common.h"
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf place;
static volatile int rounds;

static void leap(int number)
{
    siglongjmp(place, number);
}

int main(void)
{
    sigset_t mask;
    volatile uint64_t sum = 0;

    REQUIRE(signal(SIGUSR1, leap) != SIG_ERR && signal(SIGUSR2, leap) != SIG_ERR);
    while (rounds < 2000) {
        int number = sigsetjmp(place, 1);

        if (number == 0) {
            raise(rounds % 3 == 0 ? SIGUSR2 : SIGUSR1);
            printf("not reached\n");
        }
        sum = sum * 3 + (uint64_t)number;
        rounds++;
    }
    REQUIRE(sigprocmask(SIG_BLOCK, NULL, &mask) == 0);
    printf("sum %016lx, mask restored %d\n", sum, !sigismember(&mask, SIGUSR1));
    if (sigsetjmp(place, 0) == 0) {
        raise(SIGUSR1);
    }
    REQUIRE(sigprocmask(SIG_BLOCK, NULL, &mask) == 0);
    printf("mask not restored %d\n", sigismember(&mask, SIGUSR1));
    return 0;
}
