/* Shows POSIX timers: signals with a value, queries, overruns, disarming, deletion, thread
 * notices. */
#include "common.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static volatile sig_atomic_t ticks;
static volatile int value;
static volatile int code_right;
static sem_t noticed;

static void tick(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    ticks++;
    value = info->si_value.sival_int;
    code_right = info->si_code == SI_TIMER;
}

static void notice(union sigval word)
{
    value = word.sival_int;
    sem_post(&noticed);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = tick, .sa_flags = SA_SIGINFO};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
    struct itimerspec time = {{0, 4000000}, {0, 4000000}};
    struct itimerspec left;
    timer_t timer;
    volatile uint64_t state = 1;

    event.sigev_value.sival_int = 321;
    REQUIRE(sigaction(SIGRTMIN + 1, &action, NULL) == 0 && sem_init(&noticed, 0, 0) == 0);
    REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    REQUIRE(timer_gettime(timer, &left) == 0);
    printf("disarmed: %ld\n", (long)(left.it_value.tv_sec + left.it_value.tv_nsec));
    REQUIRE(timer_settime(timer, 0, &time, NULL) == 0);
    while (ticks < 3) {
        state = state * 3 + 1;
    }
    printf("three ticks, value %d, code right %d\n", value, code_right);
    REQUIRE(timer_gettime(timer, &left) == 0);
    printf("interval %ld\n", left.it_interval.tv_nsec);
    printf("overrun counted: %d\n", timer_getoverrun(timer) >= 0);
    memset(&time, 0, sizeof(time));
    REQUIRE(timer_settime(timer, 0, &time, NULL) == 0 && timer_delete(timer) == 0);
    printf("deleted twice: %s\n", outcome(timer_delete(timer)));
    event = (struct sigevent){.sigev_notify = SIGEV_THREAD};
    event.sigev_notify_function = notice;
    event.sigev_value.sival_int = 654;
    time.it_value.tv_nsec = 3000000;
    REQUIRE(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
    REQUIRE(timer_settime(timer, 0, &time, NULL) == 0);
    while (sem_wait(&noticed) != 0) {
        REQUIRE(errno == EINTR);
    }
    printf("thread noticed %d\n", value);
    printf("bad clock %s\n", outcome(timer_create(9999, &event, &timer)));
    return 0;
}
