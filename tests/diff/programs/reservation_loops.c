/* Shows loops of lr and sc of several shapes: with a way out between the two, narrower than a word, several in
 * a row, and contended by threads. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define ROUNDS 3000
#define THREADS 4

static int exchange(int64_t *place, int64_t expected, int64_t wanted)
{
    int64_t seen, failed;
    __asm__ volatile("1: lr.d.aqrl %0, (%2)\n"
                     "   bne %0, %3, 2f\n"
                     "   sc.d.rl %1, %4, (%2)\n"
                     "   bnez %1, 1b\n"
                     "2:"
                     : "=&r"(seen), "=&r"(failed)
                     : "r"(place), "r"(expected), "r"(wanted)
                     : "memory");
    return seen == expected;
}

/* Two ways out, compressed instructions and arithmetic between the two. */
static int64_t add_below(int64_t *place, int64_t amount, int64_t limit)
{
    int64_t seen, sum, failed;
    __asm__ volatile("1: lr.d %0, (%3)\n"
                     "   beqz %0, 2f\n"
                     "   add %1, %0, %4\n"
                     "   bge %1, %5, 2f\n"
                     "   c.nop\n"
                     "   sc.d %2, %1, (%3)\n"
                     "   bnez %2, 1b\n"
                     "2:"
                     : "=&r"(seen), "=&r"(sum), "=&r"(failed)
                     : "r"(place), "r"(amount), "r"(limit)
                     : "memory");
    return seen;
}

static int64_t shared;

static void *contend(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        int64_t seen;
        do {
            seen = __atomic_load_n(&shared, __ATOMIC_RELAXED);
        } while (!exchange(&shared, seen, seen + 1));
    }
    return argument;
}

int main(void)
{
    int64_t value = 0;
    int exchanged = 0;
    for (int i = 0; i < ROUNDS; i++) {
        exchanged += exchange(&value, i % 3 == 0 ? -1 : value, i);
    }
    printf("exchanged %d, value %lld\n", exchanged, (long long)value);

    int64_t sum = 1, seen = 0;
    for (int i = 0; i < ROUNDS; i++) {
        seen += add_below(&sum, i % 7, 5000);
    }
    printf("sum %lld, seen %lld\n", (long long)sum, (long long)seen);

    uint8_t bytes[4] = {250, 1, 2, 3};
    for (int i = 0; i < ROUNDS; i++) {
        uint8_t expected = bytes[i % 4];
        __atomic_compare_exchange_n(&bytes[i % 4], &expected, (uint8_t)(expected + i), 0,
                                    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    }
    printf("bytes %d %d %d %d\n", bytes[0], bytes[1], bytes[2], bytes[3]);

    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, contend, NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    printf("shared %lld\n", (long long)shared);
    return 0;
}
