/* Shows interval timers: a periodic signal interrupts computation, one-shot, remaining time,
 * alarm. */
#include "common.h"
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks[32];

static void tick(int number)
{
    ticks[number]++;
}

int main(void)
{
    struct itimerval timer = {{0, 5000}, {0, 5000}};
    struct itimerval old;
    volatile uint64_t state = 1;

    REQUIRE(signal(SIGALRM, tick) != SIG_ERR && signal(SIGVTALRM, tick) != SIG_ERR);
    REQUIRE(signal(SIGPROF, tick) != SIG_ERR);
    REQUIRE(setitimer(ITIMER_REAL, &timer, NULL) == 0);
    while (ticks[SIGALRM] < 5) {
        state = state * 3 + 1;
    }
    printf("five ticks while computing\n");
    REQUIRE(getitimer(ITIMER_REAL, &old) == 0);
    printf("interval %ld, remaining in range %d\n", (long)old.it_interval.tv_usec,
           old.it_value.tv_sec == 0 && old.it_value.tv_usec <= 5000);
    memset(&timer, 0, sizeof(timer));
    REQUIRE(setitimer(ITIMER_REAL, &timer, &old) == 0);
    printf("old interval %ld\n", (long)old.it_interval.tv_usec);
    timer.it_value.tv_usec = 3000;
    REQUIRE(setitimer(ITIMER_VIRTUAL, &timer, NULL) == 0);
    while (ticks[SIGVTALRM] < 1) {
        state = state * 3 + 1;
    }
    printf("virtual timer\n");
    REQUIRE(setitimer(ITIMER_PROF, &timer, NULL) == 0);
    while (ticks[SIGPROF] < 1) {
        state = state * 3 + 1;
    }
    printf("profiling timer\n");
    ticks[SIGALRM] = 0;
    printf("alarm %u", alarm(100));
    printf(" then %u", alarm(1));
    while (ticks[SIGALRM] == 0) {
        pause();
    }
    printf(", ticks %d, then %u\n", (int)ticks[SIGALRM], alarm(0));
    return 0;
}
