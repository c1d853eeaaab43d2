/* Shows eight contending threads: atomic updates, a spin lock and a lock-free list lose nothing. */
#include "common.h"
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 8
#define ROUNDS 5000

struct node {
    struct node *next;
    uint64_t value;
};

static _Atomic(uint64_t) sum;
static _Atomic(uint32_t) mixed;
static _Atomic(uint8_t) small;
static _Atomic(struct node *) list;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static uint64_t guarded;
static _Atomic(uint64_t) largest;
static struct node nodes[THREADS][ROUNDS];

static void *work(void *number)
{
    uint64_t self = (uint64_t)number;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        struct node *node = &nodes[self][i];
        uint64_t seen = atomic_load(&largest);

        atomic_fetch_add(&sum, self * ROUNDS + i);
        atomic_fetch_xor_explicit(&mixed, (uint32_t)(i * 2654435761u + self), memory_order_relaxed);
        atomic_fetch_add(&small, 3);
        while (seen < self * i && !atomic_compare_exchange_weak(&largest, &seen, self * i)) {
        }
        node->value = self << 32 | i;
        node->next = atomic_load(&list);
        while (!atomic_compare_exchange_weak(&list, &node->next, node)) {
        }
        while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire)) {
            sched_yield();
        }
        guarded = guarded + 1;
        atomic_flag_clear_explicit(&flag, memory_order_release);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    uint64_t in_list = 0;
    uint64_t count = 0;

    for (long i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    for (struct node *node = list; node != NULL; node = node->next) {
        in_list += node->value * 31 ^ node->value >> 7;
        count++;
    }
    printf("sum %lu, mixed %08x, small %u, largest %lu\n", (uint64_t)sum, (uint32_t)mixed,
           (unsigned)small, (uint64_t)largest);
    printf("guarded %lu, list %lu nodes %016lx\n", guarded, count, in_list);
    return 0;
}
