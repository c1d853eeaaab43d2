/* Shows cancellation: at waiting points, deferred, asynchronous, with cleanup handlers in order. */
#include "common.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static char order[3][8];

static void clean(void *text)
{
    char *at = (char *)text;

    order[at[0] - '0'][strlen(order[at[0] - '0'])] = at[1];
}

static void *wait_forever(void *unused)
{
    pthread_cleanup_push(clean, (void *)"0a");
    pthread_cleanup_push(clean, (void *)"0b");
    sem_post(&ready);
    for (;;) {
        pause();
    }
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return unused;
}

static void *defer(void *counter)
{
    int old = 0;

    REQUIRE(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
    sem_post(&ready);
    while (__atomic_load_n((int *)counter, __ATOMIC_ACQUIRE) == 0) {
        sched_yield();
    }
    pthread_cleanup_push(clean, (void *)"1c");
    REQUIRE(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0);
    pthread_testcancel();
    pthread_cleanup_pop(0);
    return NULL;
}

static void *spin(void *unused)
{
    volatile uint64_t value = 0;
    int old = 0;

    pthread_cleanup_push(clean, (void *)"2d");
    REQUIRE(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0);
    sem_post(&ready);
    for (;;) {
        value++;
    }
    pthread_cleanup_pop(0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *result = NULL;
    int go = 0;

    REQUIRE(sem_init(&ready, 0, 0) == 0);
    REQUIRE(pthread_create(&thread, NULL, wait_forever, NULL) == 0 && sem_wait(&ready) == 0);
    REQUIRE(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
    printf("waiting: cancelled %d, cleaned %s\n", result == PTHREAD_CANCELED, order[0]);
    REQUIRE(pthread_create(&thread, NULL, defer, &go) == 0 && sem_wait(&ready) == 0);
    REQUIRE(pthread_cancel(thread) == 0);
    __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
    REQUIRE(pthread_join(thread, &result) == 0);
    printf("deferred: cancelled %d, cleaned %s\n", result == PTHREAD_CANCELED, order[1]);
    REQUIRE(pthread_create(&thread, NULL, spin, NULL) == 0 && sem_wait(&ready) == 0);
    REQUIRE(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
    printf("asynchronous: cancelled %d, cleaned %s\n", result == PTHREAD_CANCELED, order[2]);
    return 0;
}
