/* Shows that a signal to the process goes to the one thread that does not block it.
 * qemu-riscv64 7.2 queues it on whichever host thread catches it, blocked or not; hence
 * .expected. */
#include "common.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#define THREADS 4
#define ROUNDS 50

static _Thread_local long identity = -1;
static volatile int received[THREADS];
static volatile int elsewhere;
static volatile int stop;
static sem_t ready;

static void count(int number)
{
    (void)number;
    if (identity < 0) {
        elsewhere++;
    } else {
        received[identity]++;
    }
}

static void *work(void *number)
{
    sigset_t mask;

    identity = (long)number;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    if (identity == 2) {
        REQUIRE(pthread_sigmask(SIG_UNBLOCK, &mask, NULL) == 0);
    }
    sem_post(&ready);
    while (!stop) {
        sched_yield();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    sigset_t mask;

    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    REQUIRE(signal(SIGUSR1, count) != SIG_ERR && sem_init(&ready, 0, 0) == 0);
    REQUIRE(pthread_sigmask(SIG_BLOCK, &mask, NULL) == 0);
    for (long i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(sem_wait(&ready) == 0);
    }
    for (int i = 0; i < ROUNDS; i++) {
        REQUIRE(kill(getpid(), SIGUSR1) == 0);
        while (received[2] <= i) {
            sched_yield();
        }
    }
    stop = 1;
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
        printf("thread %d: %d\n", i, received[i]);
    }
    printf("elsewhere: %d\n", elsewhere);
    return 0;
}
