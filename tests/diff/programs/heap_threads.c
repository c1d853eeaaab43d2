/* Shows the heap used by many threads: blocks freed by threads other than their makers, intact. */
#include "common.h"
#include <pthread.h>

#define THREADS 6
#define SLOTS 64
#define ROUNDS 4000

static uint64_t *exchange[SLOTS];

static void *work(void *number)
{
    uint64_t state = 1000 + (uint64_t)number;
    uint64_t sum = 0;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        size_t words = 2 + next_random(&state) % 300;
        uint64_t *block = malloc(words * sizeof(*block));
        uint64_t *old = NULL;

        REQUIRE(block != NULL);
        block[0] = words;
        for (size_t k = 1; k < words; k++) {
            block[k] = words * k;
        }
        sum += words;
        old = __atomic_exchange_n(&exchange[next_random(&state) % SLOTS], block, __ATOMIC_ACQ_REL);
        if (old != NULL) {
            for (size_t k = 1; k < old[0]; k++) {
                REQUIRE(old[k] == old[0] * k);
            }
            free(old);
        }
    }
    return (void *)sum;
}

int main(void)
{
    pthread_t threads[THREADS];
    void *sum = NULL;

    for (long i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], &sum) == 0);
        printf("thread %d: %lu words\n", i, (uint64_t)sum);
    }
    for (int i = 0; i < SLOTS; i++) {
        free(exchange[i]);
    }
    return 0;
}
