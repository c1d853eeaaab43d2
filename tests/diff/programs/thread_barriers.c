/* Shows barriers, read-write locks and semaphores: phases stay in step, readers see whole
 * updates. */
#include "common.h"
#include <pthread.h>
#include <semaphore.h>

#define THREADS 5
#define PHASES 200

static pthread_barrier_t barrier;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t tokens;
static long cells[THREADS];
static long pair[2];
static int serial_count;
static int inside;
static int most_inside;

static void *work(void *number)
{
    long self = (long)number;

    for (long phase = 0; phase < PHASES; phase++) {
        long left = cells[(self + THREADS - 1) % THREADS];
        int result = pthread_barrier_wait(&barrier);

        cells[self] += left + self + phase;
        cells[self] %= 1000003;
        if (result == PTHREAD_BARRIER_SERIAL_THREAD) {
            __atomic_fetch_add(&serial_count, 1, __ATOMIC_RELAXED);
        }
        pthread_barrier_wait(&barrier);
        if (self == 0) {
            REQUIRE(pthread_rwlock_wrlock(&lock) == 0);
            pair[0]++;
            sched_yield();
            pair[1]--;
        } else {
            REQUIRE(pthread_rwlock_rdlock(&lock) == 0);
            REQUIRE(pair[0] + pair[1] == 0);
        }
        REQUIRE(pthread_rwlock_unlock(&lock) == 0);
        REQUIRE(sem_wait(&tokens) == 0);
        if (__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) > 2) {
            most_inside = 3;
        }
        __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
        REQUIRE(sem_post(&tokens) == 0);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int value = 0;

    REQUIRE(pthread_barrier_init(&barrier, NULL, THREADS) == 0 && sem_init(&tokens, 0, 2) == 0);
    for (long i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    printf("cells %016lx, serial %d, pair %ld %ld\n",
           checksum(CHECKSUM_START, cells, sizeof(cells)), serial_count, pair[0], pair[1]);
    REQUIRE(sem_getvalue(&tokens, &value) == 0);
    printf("tokens %d, never more than two inside %d\n", value, most_inside == 0);
    REQUIRE(sem_wait(&tokens) == 0 && sem_wait(&tokens) == 0);
    printf("try %s\n", outcome(sem_trywait(&tokens)));
    REQUIRE(pthread_rwlock_rdlock(&lock) == 0);
    printf("write while read %s\n", error_name(pthread_rwlock_trywrlock(&lock)));
    return 0;
}
