/* Shows threads created and joined: arguments, results, identities, many in a row, detached
 * ones. */
#include "common.h"
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>

static sem_t done;

static void *square(void *number)
{
    long value = (long)number;

    return (void *)(value * value);
}

static void *leave_early(void *number)
{
    pthread_exit((void *)((long)number + 1000));
}

static void *count_down(void *counter)
{
    __atomic_fetch_sub((int *)counter, 1, __ATOMIC_SEQ_CST);
    sem_post(&done);
    return NULL;
}

static void *identities(void *unused)
{
    (void)unused;
    return (void *)(long)(gettid() != getpid());
}

int main(void)
{
    pthread_t threads[32];
    pthread_attr_t detached;
    void *result = NULL;
    long sum = 0;
    int counter = 50;

    for (long i = 0; i < 32; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, i % 2 ? square : leave_early, (void *)i) == 0);
    }
    for (int i = 31; i >= 0; i--) {
        REQUIRE(pthread_join(threads[i], &result) == 0);
        sum = sum * 3 + (long)result;
    }
    printf("results %ld\n", sum);
    sum = 0;
    for (long i = 0; i < 500; i++) {
        REQUIRE(pthread_create(&threads[0], NULL, square, (void *)i) == 0);
        REQUIRE(pthread_join(threads[0], &result) == 0);
        sum += (long)result;
    }
    printf("in a row %ld\n", sum);
    REQUIRE(sem_init(&done, 0, 0) == 0 && pthread_attr_init(&detached) == 0);
    REQUIRE(pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED) == 0);
    REQUIRE(pthread_attr_setstacksize(&detached, 65536) == 0);
    for (int i = 0; i < 50; i++) {
        REQUIRE(pthread_create(&threads[0], &detached, count_down, &counter) == 0);
    }
    for (int i = 0; i < 50; i++) {
        REQUIRE(sem_wait(&done) == 0);
    }
    printf("detached %d\n", counter);
    REQUIRE(pthread_create(&threads[0], NULL, identities, NULL) == 0);
    REQUIRE(pthread_join(threads[0], &result) == 0);
    printf("thread differs %ld, main thread %d\n", (long)result, gettid() == getpid());
    printf("join itself: %s\n", error_name(pthread_join(pthread_self(), NULL)));
    return 0;
}
