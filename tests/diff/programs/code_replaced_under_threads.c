/* Shows functions that are called all the time while a thread replaces an instruction in them, again and again, by
 * one store: who has seen the number of a change and executes fence.i gets that change or a later one, and nobody
 * gets anything else. */
#include "common.h"
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>

#define PAGE 4096
#define FUNCTIONS 4 /* in two pages */
#define READERS 2
#define CHANGES 60

static char *pages;
static unsigned published[FUNCTIONS]; /* the last change of each that readers may rely on */
static bool ended;

static uint32_t *place(unsigned function)
{
    return (uint32_t *)(void *)(pages + function * 1364); /* one of them over the end of the page */
}

static uint32_t load_immediate(unsigned value)
{
    return value << 20 | 10u << 7 | 0x13;
}

/* Three instructions; the second of them changes. */
static void write_function(unsigned function)
{
    uint32_t *code = place(function);

    code[0] = 0x00000513;
    code[1] = load_immediate(0);
    code[2] = 0x00008067;
}

static unsigned call(unsigned function)
{
    return ((unsigned (*)(void))place(function))();
}

struct reader {
    pthread_t thread;
    unsigned wrong;
    unsigned long calls;
};

static void *read_functions(void *argument)
{
    struct reader *reader = argument;
    unsigned last[FUNCTIONS] = {0};

    while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE)) {
        for (unsigned function = 0; function < FUNCTIONS; function++) {
            const unsigned before = __atomic_load_n(&published[function], __ATOMIC_ACQUIRE);
            __asm__ volatile("fence.i" ::: "memory");
            const unsigned got = call(function);
            const unsigned after = __atomic_load_n(&published[function], __ATOMIC_ACQUIRE);

            /* The next one may be there before its number is. */
            if (got < before || got < last[function] || got > after + 1) {
                reader->wrong++;
            }
            last[function] = got;
            reader->calls++;
        }
    }
    return NULL;
}

static void replace(unsigned function, unsigned number)
{
    __atomic_store_n(place(function) + 1, load_immediate(number), __ATOMIC_RELAXED);
    if (number % 4 == 0) {
        __builtin___clear_cache((char *)place(function), (char *)(place(function) + 3));
    }
    __atomic_store_n(&published[function], number, __ATOMIC_RELEASE);
}

int main(void)
{
    struct reader readers[READERS] = {0};
    unsigned wrong = 0;

    pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
                 -1, 0);
    REQUIRE(pages != MAP_FAILED);
    for (unsigned function = 0; function < FUNCTIONS; function++) {
        write_function(function);
    }
    __builtin___clear_cache(pages, pages + 2 * PAGE);
    for (int i = 0; i < READERS; i++) {
        REQUIRE(pthread_create(&readers[i].thread, NULL, read_functions, &readers[i]) == 0);
    }
    for (unsigned number = 1; number <= CHANGES; number++) {
        for (unsigned function = 0; function < FUNCTIONS; function++) {
            replace(function, number);
            __asm__ volatile("fence.i" ::: "memory");
            wrong += call(function) != number;
        }
        if (number % 16 == 0) {
            sched_yield();
        }
    }
    /* The others have had their turn, too. */
    for (int i = 0; i < READERS; i++) {
        while (__atomic_load_n(&readers[i].calls, __ATOMIC_RELAXED) == 0) {
            sched_yield();
        }
    }
    __atomic_store_n(&ended, true, __ATOMIC_RELEASE);
    printf("writer: wrong %u\n", wrong);
    for (int i = 0; i < READERS; i++) {
        REQUIRE(pthread_join(readers[i].thread, NULL) == 0);
        printf("reader %d: wrong %u\n", i, readers[i].wrong);
    }
    for (unsigned function = 0; function < FUNCTIONS; function++) {
        REQUIRE(call(function) == CHANGES);
    }
    return 0;
}
