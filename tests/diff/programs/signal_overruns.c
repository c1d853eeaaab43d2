/* Shows exactly how often a timer expired while its signal was blocked.  A host that is slow would count more:
 * hence .expected. */
#include "common.h"
#include <signal.h>
#include <time.h>

#define MILLISECONDS 1000000l

static struct timespec after(struct timespec time, long nanoseconds)
{
    time.tv_nsec += nanoseconds;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

static void sleep_until(struct timespec time)
{
    REQUIRE(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == 0);
}

int main(void)
{
    const int number = SIGRTMIN + 1;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
    struct timespec start;
    timer_t timer;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, number);
    REQUIRE(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    for (int periods = 1; periods <= 5; periods++) {
        siginfo_t info;
        struct itimerspec time = {.it_interval = {0, 100 * MILLISECONDS}};
        const struct itimerspec none = {.it_value = {0, 0}};
        REQUIRE(clock_gettime(CLOCK_MONOTONIC, &start) == 0);
        time.it_value = after(start, 100 * MILLISECONDS);
        REQUIRE(timer_settime(timer, TIMER_ABSTIME, &time, NULL) == 0);
        sleep_until(after(start, 100 * periods * MILLISECONDS + 50 * MILLISECONDS));
        REQUIRE(sigwaitinfo(&set, &info) == number);
        printf("%d periods: overrun %d, told %d", periods, timer_getoverrun(timer),
               info.si_overrun);
        REQUIRE(timer_settime(timer, 0, &none, NULL) == 0);
        printf(", disarmed %d\n", timer_getoverrun(timer));
    }
    return 0;
}
