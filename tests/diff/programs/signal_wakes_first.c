/* Shows that a signal to the process goes to the first thread that lets it through, also if that one sleeps and
 * others that let it through run.  Linux prefers the main thread; what comes behind it is not said anywhere: hence
 * .expected. */
#include "common.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#define ROUNDS 20

static _Thread_local int identity;
static volatile int received[3];
static volatile int stop;

static void count(int number)
{
    (void)number;
    received[identity]++;
}

static void *run(void *number)
{
    identity = (int)(long)number;
    while (!stop) {
        sched_yield();
    }
    return NULL;
}

static void *send(void *number)
{
    identity = (int)(long)number;
    for (int i = 0; i < ROUNDS; i++) {
        usleep(2000); /* until the main thread sleeps */
        REQUIRE(kill(getpid(), SIGUSR1) == 0);
        while (received[0] + received[1] + received[2] <= i) {
            sched_yield();
        }
    }
    stop = 1;
    return NULL;
}

int main(void)
{
    const struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
    pthread_t threads[2];

    REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
    REQUIRE(pthread_create(&threads[0], NULL, send, (void *)1l) == 0);
    REQUIRE(pthread_create(&threads[1], NULL, run, (void *)2l) == 0);
    REQUIRE(pthread_join(threads[0], NULL) == 0 && pthread_join(threads[1], NULL) == 0);
    printf("main %d, sending %d, running %d\n", received[0], received[1], received[2]);
    return 0;
}
