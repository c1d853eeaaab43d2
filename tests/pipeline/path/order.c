/* Three threads take one lock after the other, and note in which order, and what the clocks said. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t order;
static volatile uint32_t table[1 << 20]; /* more than caches hold */

static uint64_t read_cycle(void)
{
    uint64_t value;
    __asm__ volatile("rdcycle %0" : "=r"(value));
    return value;
}

static void note(uint64_t value)
{
    order = (order ^ value) * UINT64_C(0x100000001b3);
}

static void *run(void *argument)
{
    const uint64_t number = (uintptr_t)argument;
    for (unsigned i = 0; i < 4000; i++) {
        pthread_mutex_lock(&lock);
        note(number + table[(i * 4001 + number * 999) % (sizeof table / sizeof table[0])]);
        pthread_mutex_unlock(&lock);
        if (i % 500 == 0) {
            const struct timespec span = {.tv_nsec = (long)(number + 1) * 3000};
            nanosleep(&span, NULL);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    struct timespec now;
    const uint64_t from = read_cycle();
    for (uintptr_t i = 0; i < 3; i++) {
        pthread_create(&threads[i], NULL, run, (void *)i);
    }
    for (unsigned i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    const uint64_t cycles = read_cycle() - from;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%016lx %lu %ld\n", (unsigned long)order, (unsigned long)cycles,
           (long)(now.tv_sec * 1000000000 + now.tv_nsec));
    return 0;
}
