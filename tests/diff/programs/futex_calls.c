/* Shows raw futex calls: wrong value, time-outs, waking a number, bit sets, requeue. */
#include "common.h"
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

static uint32_t word;
static uint32_t other;
static int asleep;
static int awake;

static long futex(uint32_t *at, int operation, uint32_t value, const void *time, uint32_t *at2,
                  uint32_t value3)
{
    return syscall(SYS_futex, at, operation, value, time, at2, value3);
}

static void *sleep_on(void *bits)
{
    __atomic_fetch_add(&asleep, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0) {
        if (futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, (uint32_t)(long)bits) == 0) {
            break;
        }
        REQUIRE(errno == EAGAIN || errno == EINTR);
    }
    __atomic_fetch_add(&awake, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

/* Wakes until `wanted` have been woken, since a thread may not have gone to sleep yet. */
static long wake(int operation, int wanted, uint32_t bits)
{
    long woken = 0;

    while (woken < wanted) {
        woken += futex(&word, operation, (uint32_t)(wanted - woken), NULL, NULL, bits);
        usleep(500);
    }
    return woken;
}

int main(void)
{
    struct timespec time = {0, 10000000};
    struct timespec absolute;
    pthread_t threads[6];
    long moved = 0;

    printf("wrong value: %s\n", outcome(futex(&word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0)));
    printf("time-out: %s\n", outcome(futex(&word, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0)));
    REQUIRE(clock_gettime(CLOCK_MONOTONIC, &absolute) == 0);
    printf("past: %s\n", outcome(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, &absolute, NULL,
                                       FUTEX_BITSET_MATCH_ANY)));
    printf("nobody: %s\n", outcome(futex(&word, FUTEX_WAKE_PRIVATE, 10, NULL, NULL, 0)));
    printf("no bits: %s\n", outcome(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, 0)));
    for (long i = 0; i < 6; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, sleep_on, (void *)(i < 2 ? 1l : 2l)) == 0);
    }
    while (__atomic_load_n(&asleep, __ATOMIC_SEQ_CST) < 6) {
        sched_yield();
    }
    printf("bit 1: %ld\n", wake(FUTEX_WAKE_BITSET_PRIVATE, 2, 1));
    printf("two: %ld\n", wake(FUTEX_WAKE_PRIVATE, 2, 0));
    while (__atomic_load_n(&awake, __ATOMIC_SEQ_CST) < 4) {
        sched_yield();
    }
    while (moved < 2) {
        moved += futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 0, (void *)2l, &other, 0);
        usleep(500);
    }
    printf("moved: %ld, woken: %ld\n", moved, futex(&other, FUTEX_WAKE_PRIVATE, 5, NULL, NULL, 0));
    for (int i = 0; i < 6; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    printf("requeue of wrong value: %s\n",
           outcome(futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 0, (void *)2l, &other, 7)));
    printf("awake %d\n", awake);
    return 0;
}
