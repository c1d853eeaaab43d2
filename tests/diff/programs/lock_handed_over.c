/* A thread that gives up a lock and takes it back at once still lets others have it: they ask for
 * it in a queue of a condition variable, as the interpreter lock of Python does. */
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum { WAITERS = 3, LONG_WORK = 12000, SHORT_WORK = 500, MANY_ROUNDS = 3000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t freed = PTHREAD_COND_INITIALIZER;
static bool taken;
static volatile unsigned served;

static void take(void)
{
    pthread_mutex_lock(&mutex);
    while (taken) {
        pthread_cond_wait(&freed, &mutex);
    }
    taken = true;
    pthread_mutex_unlock(&mutex);
}

static void give(void)
{
    pthread_mutex_lock(&mutex);
    taken = false;
    pthread_cond_signal(&freed);
    pthread_mutex_unlock(&mutex);
}

static void work(unsigned amount)
{
    for (volatile unsigned i = 0; i < amount; i++) {
    }
}

static void *ask(void *unused)
{
    take();
    served++;
    give();
    return unused;
}

int main(void)
{
    pthread_t threads[WAITERS];
    unsigned rounds = 0;

    take();
    for (int i = 0; i < WAITERS; i++) {
        pthread_create(&threads[i], NULL, ask, NULL);
    }
    while (served < WAITERS && rounds < MANY_ROUNDS) {
        work(rounds % 2 == 0 ? LONG_WORK : SHORT_WORK);
        give();
        poll(NULL, 0, 0);
        take();
        rounds++;
    }
    printf("all served in time: %s\n", served == WAITERS && rounds < MANY_ROUNDS ? "yes" : "no");
    give();
    for (int i = 0; i < WAITERS; i++) {
        pthread_join(threads[i], NULL);
    }
    printf("served %u\n", served);
    return 0;
}
