/* Shows data of threads: thread-local variables, keys with destructors, pthread_once, errno. */
#include "common.h"
#include <pthread.h>

#define THREADS 6

static _Thread_local int counter = 100;
static _Thread_local char buffer[3000];
static __thread double scale = 1.5;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int initialized;
static long destroyed;

static void destroy(void *value)
{
    __atomic_fetch_add(&destroyed, (long)value, __ATOMIC_SEQ_CST);
}

static void initialize(void)
{
    initialized++;
    REQUIRE(pthread_key_create(&key, destroy) == 0);
}

static void *work(void *number)
{
    long self = (long)number;
    uint64_t hash = CHECKSUM_START;

    REQUIRE(pthread_once(&once, initialize) == 0);
    REQUIRE(pthread_getspecific(key) == NULL);
    REQUIRE(pthread_setspecific(key, (void *)(self + 1)) == 0);
    REQUIRE(counter == 100 && buffer[2999] == 0 && scale == 1.5);
    for (int i = 0; i < 3000; i++) {
        counter += (int)self;
        buffer[i] = (char)(i * self);
        scale += 0.25;
        errno = (int)self;
        if (i % 100 == 0) {
            sched_yield();
        }
        REQUIRE(errno == (int)self);
    }
    hash = checksum(hash, buffer, sizeof(buffer));
    hash = checksum_word(hash, (uint64_t)counter);
    hash = checksum_word(hash, (uint64_t)(scale * 4));
    REQUIRE(pthread_getspecific(key) == (void *)(self + 1));
    return (void *)hash;
}

int main(void)
{
    pthread_t threads[THREADS];
    void *result = NULL;

    for (long i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], &result) == 0);
        printf("thread %d: %016lx\n", i, (uint64_t)result);
    }
    printf("main untouched %d, initialized %d, destroyed %ld\n", counter == 100 && buffer[5] == 0,
           initialized, destroyed);
    return 0;
}
