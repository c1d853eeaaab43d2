/* Follows a list that no cache holds, in one thread or in two that take turns.
 *
 * Turns hand the last node on through memory, so two threads cannot be faster than one. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NODES (1u << 17)
#define FOLLOWED 4096

struct node {
    struct node *next;
    uint64_t rest[7];
};

static struct node *at;
static _Atomic unsigned turn;
static unsigned length;

static void follow(void)
{
    struct node *node = at;
    for (unsigned i = 0; i < length; i++) {
        node = node->next;
    }
    at = node;
}

static void *take_turns(void *mine)
{
    for (unsigned i = 0; i < FOLLOWED / length; i++) {
        while (atomic_load_explicit(&turn, memory_order_acquire) % 2 != (uintptr_t)mine) {
        }
        follow();
        const unsigned next = atomic_load_explicit(&turn, memory_order_relaxed) + 1;
        atomic_store_explicit(&turn, next, memory_order_release);
    }
    return NULL;
}

static long long nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    struct node *nodes = aligned_alloc(sizeof *nodes, NODES * sizeof *nodes);
    if (argc != 3 || nodes == NULL) {
        return 2;
    }
    for (unsigned i = 0; i < NODES; i++) {
        nodes[i].next = &nodes[(i * 0x4c957f2du + 0xf767814fu) % NODES];
    }
    at = nodes;
    length = (unsigned)atoi(argv[2]);
    const long long start = nanoseconds();
    if (strcmp(argv[1], "two") == 0 && pthread_create(&thread, NULL, take_turns, (void *)1) == 0) {
        take_turns((void *)0);
        pthread_join(thread, NULL);
    } else {
        for (unsigned i = 0; i < 2 * (FOLLOWED / length); i++) {
            follow();
        }
    }
    printf("node %td, %lld cycles\n", at - nodes, nanoseconds() - start);
    return 0;
}
