/* Bench program: the plain parallel loop, c[i] = a[i] + b[i], its elements divided among threads. */
#include "program.h"
#include "strata/roi.h"

#include <pthread.h>

#define THREADS_MAX 8

static uint64_t *a, *b, *c;
static unsigned long repeats;

struct part {
    pthread_t thread;
    size_t begin, end;
};

static void *add(void *pointer)
{
    const struct part *part = pointer;
    const size_t count = part->end - part->begin;
    for (unsigned long repeat = 0; repeat < repeats; repeat++) {
        const uint64_t *x = a + part->begin, *y = b + part->begin;
        uint64_t *z = c + part->begin;
        for (size_t i = 0; i < count; i++) {
            z[i] = x[i] + y[i];
        }
        __asm__ volatile("" ::: "memory"); /* each time anew */
    }
    return NULL;
}

static uint64_t *new_array(size_t count)
{
    uint64_t *array = aligned_alloc(64, (count * sizeof *array + 63) / 64 * 64);
    program_check(array != NULL, "no memory");
    return array;
}

int main(int argc, char **argv)
{
    const unsigned long elements = argc > 1 ? strtoul(argv[1], NULL, 10) : 1024;
    const unsigned long threads = argc > 2 ? strtoul(argv[2], NULL, 10) : 2;
    repeats = argc > 3 ? strtoul(argv[3], NULL, 10) : 10;
    if (argc > 4 || elements < 1 || elements > SIZE_MAX / 64 || threads < 1 ||
        threads > THREADS_MAX) {
        fprintf(stderr, "usage: %s [ELEMENTS [THREADS [REPEATS]]]   (1 to %d threads)\n", argv[0],
                THREADS_MAX);
        return 2;
    }
    a = new_array(elements);
    b = new_array(elements);
    c = new_array(elements);
    uint64_t seed = 1;
    for (size_t i = 0; i < elements; i++) {
        a[i] = program_random(&seed);
        b[i] = program_random(&seed);
        c[i] = 0;
    }
    struct part parts[THREADS_MAX];
    STRATA_ROI_BEGIN();
    for (unsigned long i = threads; i-- > 0;) {
        parts[i].begin = elements * i / threads;
        parts[i].end = elements * (i + 1) / threads;
        if (i > 0) {
            program_check(pthread_create(&parts[i].thread, NULL, add, &parts[i]) == 0, "no thread");
        }
    }
    add(&parts[0]);
    for (unsigned long i = 1; i < threads; i++) {
        pthread_join(parts[i].thread, NULL);
    }
    STRATA_ROI_END();
    uint64_t digest = 0;
    for (size_t i = 0; i < elements; i++) {
        digest = program_mix(digest, c[i]);
    }
    printf("elements %lu repeats %lu checksum %016" PRIx64 "\n", elements, repeats, digest);
    return 0;
}
