/* Shows condition variables: a bounded queue between producers and consumers, broadcast,
 * time-outs. */
#include "common.h"
#include <pthread.h>
#include <time.h>

#define CAPACITY 8
#define ITEMS 3000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t start = PTHREAD_COND_INITIALIZER;
static long queue[CAPACITY];
static unsigned head;
static unsigned tail;
static int started;

static void *produce(void *first)
{
    REQUIRE(pthread_mutex_lock(&mutex) == 0);
    while (!started) {
        REQUIRE(pthread_cond_wait(&start, &mutex) == 0);
    }
    REQUIRE(pthread_mutex_unlock(&mutex) == 0);
    for (long i = 0; i < ITEMS; i++) {
        REQUIRE(pthread_mutex_lock(&mutex) == 0);
        while (tail - head == CAPACITY) {
            REQUIRE(pthread_cond_wait(&not_full, &mutex) == 0);
        }
        queue[tail++ % CAPACITY] = (long)first + i;
        REQUIRE(pthread_cond_signal(&not_empty) == 0);
        REQUIRE(pthread_mutex_unlock(&mutex) == 0);
    }
    return NULL;
}

static void *consume(void *sum)
{
    for (long i = 0; i < ITEMS; i++) {
        REQUIRE(pthread_mutex_lock(&mutex) == 0);
        while (tail == head) {
            REQUIRE(pthread_cond_wait(&not_empty, &mutex) == 0);
        }
        *(long *)sum += queue[head++ % CAPACITY];
        REQUIRE(pthread_cond_signal(&not_full) == 0);
        REQUIRE(pthread_mutex_unlock(&mutex) == 0);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[6];
    long sums[3] = {0};
    struct timespec soon;

    for (long i = 0; i < 3; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, produce, (void *)(i * 1000000)) == 0);
        REQUIRE(pthread_create(&threads[i + 3], NULL, consume, &sums[i]) == 0);
    }
    REQUIRE(pthread_mutex_lock(&mutex) == 0);
    started = 1;
    REQUIRE(pthread_cond_broadcast(&start) == 0 && pthread_mutex_unlock(&mutex) == 0);
    for (int i = 0; i < 6; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    printf("consumed %ld\n", sums[0] + sums[1] + sums[2]);
    REQUIRE(clock_gettime(CLOCK_REALTIME, &soon) == 0);
    soon.tv_nsec += 15000000;
    soon.tv_sec += soon.tv_nsec / 1000000000;
    soon.tv_nsec %= 1000000000;
    REQUIRE(pthread_mutex_lock(&mutex) == 0);
    printf("timed wait: %s\n", error_name(pthread_cond_timedwait(&start, &mutex, &soon)));
    return 0;
}
