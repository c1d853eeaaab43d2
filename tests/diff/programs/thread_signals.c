/* Shows signals to threads: pthread_kill reaches the thread named, masks are each thread's own. */
#include "common.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#define THREADS 4

static _Thread_local long identity;
static volatile int received[THREADS];
static sem_t ready;
static volatile int stop;

static void count(int number)
{
    (void)number;
    received[identity]++;
}

static void *work(void *number)
{
    long self = (long)number;
    sigset_t mask;

    identity = self;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    REQUIRE(pthread_sigmask(self % 2 ? SIG_BLOCK : SIG_UNBLOCK, &mask, NULL) == 0);
    sem_post(&ready);
    while (!stop) {
        sched_yield();
    }
    REQUIRE(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0);
    return (void *)(long)sigismember(&mask, SIGUSR2);
}

int main(void)
{
    pthread_t threads[THREADS];
    sigset_t mask;
    sigset_t seen;
    int number = 0;
    void *blocked = NULL;

    REQUIRE(signal(SIGUSR1, count) != SIG_ERR && signal(SIGUSR2, count) != SIG_ERR);
    REQUIRE(sem_init(&ready, 0, 0) == 0);
    for (long i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(sem_wait(&ready) == 0);
    }
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    REQUIRE(pthread_sigmask(SIG_BLOCK, &mask, NULL) == 0);
    for (int i = 0; i < THREADS; i++) {
        for (int k = 0; k < (i + 1) * 10; k++) {
            REQUIRE(pthread_kill(threads[i], SIGUSR1) == 0);
            while (received[i] <= k) {
                sched_yield();
            }
        }
    }
    stop = 1;
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], &blocked) == 0);
        printf("thread %d: %d signals, other one blocked %ld\n", i, received[i], (long)blocked);
    }
    REQUIRE(pthread_kill(pthread_self(), SIGUSR2) == 0 && sigpending(&seen) == 0);
    printf("pending here %d\n", sigismember(&seen, SIGUSR2));
    REQUIRE(sigwait(&mask, &number) == 0);
    printf("waited for it %d\n", number == SIGUSR2);
    return 0;
}
