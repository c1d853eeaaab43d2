/* Shows mutexes under contention: normal, recursive, error-checking, adaptive, spin locks,
 * time-outs. */
#include "common.h"
#include <pthread.h>
#include <time.h>

#define THREADS 6
#define ROUNDS 4000

static pthread_mutex_t mutexes[4];
static pthread_spinlock_t spin;
static long totals[5];

static void *add(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < 4; k++) {
            REQUIRE(pthread_mutex_lock(&mutexes[k]) == 0);
            totals[k] = (totals[k] * 31 + 7) % 1000003;
            REQUIRE(pthread_mutex_unlock(&mutexes[k]) == 0);
        }
        pthread_spin_lock(&spin);
        totals[4]++;
        pthread_spin_unlock(&spin);
    }
    return NULL;
}

int main(void)
{
    static const int kinds[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                                PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};
    pthread_t threads[THREADS];
    struct timespec soon;

    REQUIRE(pthread_spin_init(&spin, 0) == 0);
    for (int i = 0; i < 4; i++) {
        pthread_mutexattr_t attribute;

        REQUIRE(pthread_mutexattr_init(&attribute) == 0);
        REQUIRE(pthread_mutexattr_settype(&attribute, kinds[i]) == 0);
        REQUIRE(pthread_mutex_init(&mutexes[i], &attribute) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, add, NULL) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    for (int i = 0; i < 5; i++) {
        printf("total %ld\n", totals[i]);
    }
    REQUIRE(pthread_mutex_lock(&mutexes[1]) == 0);
    printf("recursive: %s\n", error_name(pthread_mutex_lock(&mutexes[1])));
    REQUIRE(pthread_mutex_lock(&mutexes[2]) == 0);
    printf("checked: %s\n", error_name(pthread_mutex_lock(&mutexes[2])));
    REQUIRE(pthread_mutex_unlock(&mutexes[2]) == 0);
    printf("not owner: %s\n", error_name(pthread_mutex_unlock(&mutexes[2])));
    REQUIRE(pthread_mutex_lock(&mutexes[0]) == 0);
    printf("try: %s\n", error_name(pthread_mutex_trylock(&mutexes[0])));
    REQUIRE(clock_gettime(CLOCK_REALTIME, &soon) == 0);
    soon.tv_nsec += 20000000;
    soon.tv_sec += soon.tv_nsec / 1000000000;
    soon.tv_nsec %= 1000000000;
    printf("timed: %s\n", error_name(pthread_mutex_timedlock(&mutexes[0], &soon)));
    return 0;
}
