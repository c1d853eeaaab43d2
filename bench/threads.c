/* Bench program with work for every context: threads that sort, each numbers of its own. */
#include "program.h"

#include <pthread.h>

#define THREADS_MAX 64
#define ITEMS 4096

struct worker {
    pthread_t thread;
    uint64_t seed, digest;
    unsigned long rounds;
    uint32_t items[ITEMS];
};

static struct worker workers[THREADS_MAX];

static void sift_down(uint32_t *heap, size_t root, size_t count)
{
    const uint32_t item = heap[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        child += child + 1 < count && heap[child + 1] > heap[child];
        if (heap[child] <= item) {
            break;
        }
        heap[root] = heap[child];
    }
    heap[root] = item;
}

static void *work(void *pointer)
{
    struct worker *worker = pointer;
    for (unsigned long round = 0; round < worker->rounds; round++) {
        for (size_t i = 0; i < ITEMS; i++) {
            worker->items[i] = program_random(&worker->seed);
        }
        for (size_t root = ITEMS / 2; root-- > 0;) {
            sift_down(worker->items, root, ITEMS);
        }
        for (size_t count = ITEMS; count-- > 1;) {
            const uint32_t largest = worker->items[0];
            worker->items[0] = worker->items[count];
            worker->items[count] = largest;
            sift_down(worker->items, 0, count);
        }
        for (size_t i = 1; i < ITEMS; i++) {
            program_check(worker->items[i - 1] <= worker->items[i], "not sorted");
            worker->digest = program_mix(worker->digest, worker->items[i]);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const unsigned long threads = argc > 1 ? strtoul(argv[1], NULL, 10) : 8;
    const unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 50;
    if (threads < 1 || threads > THREADS_MAX) {
        fprintf(stderr, "usage: %s [THREADS [ROUNDS]]   (1 to %d threads)\n", argv[0], THREADS_MAX);
        return 2;
    }
    for (unsigned long i = 0; i < threads; i++) {
        workers[i].seed = i + 1;
        workers[i].rounds = rounds;
        program_check(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0,
                      "no thread");
    }
    uint64_t digest = 0;
    for (unsigned long i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        digest = program_mix(digest, workers[i].digest);
    }
    printf("threads %lu rounds %lu checksum %016" PRIx64 "\n", threads, rounds, digest);
    return 0;
}
