/* Shows code that another thread changes: who calls it sees the change some time, who is in a loop of it comes out
 * of that, and from then on nobody sees the old code again. */
#include "silent.h"
#include <pthread.h>

#define READERS 2
#define ROUNDS 30

extern char turn_start[], turn_branch[], turn_end[];

/* Says in *a0 that it is inside, and turns until the branch is gone. */
__asm__(".section .rodata\n"
        ".balign 8\n"
        ".option push\n"
        ".option norvc\n"
        "turn_start:\n"
        "    li t0, 1\n"
        "    amoadd.w.aqrl t1, t0, (a0)\n"
        "1:  addi a1, a1, 1\n"
        "turn_branch:\n"
        "    j 1b\n"
        "    li a0, 77\n"
        "    ret\n"
        "turn_end:\n"
        ".option pop\n"
        ".text\n");

static char *page;
static unsigned inside;
static pthread_barrier_t barrier;

/* By one store: another thread may execute it at any time. */
static void replace(char *at, uint32_t instruction)
{
    __atomic_store_n((uint32_t *)(void *)at, instruction, __ATOMIC_RELEASE);
    say_it();
}

static uint32_t load_immediate(unsigned value)
{
    return value << 20 | 10u << 7 | 0x13;
}

/* Calls it until the next value is there, and then never gets another. */
static void *await_values(void *unused)
{
    unsigned long wrong = 0;

    (void)unused;
    for (long i = 1; i <= ROUNDS; i++) {
        long got = i - 1;

        pthread_barrier_wait(&barrier);
        while (got == i - 1) {
            got = call(page);
            sched_yield();
        }
        wrong += got != i;
        for (int j = 0; j < 20; j++) {
            wrong += call(page) != i;
        }
        pthread_barrier_wait(&barrier);
    }
    return (void *)wrong;
}

static void *turn(void *unused)
{
    unsigned long wrong = 0;

    (void)unused;
    for (unsigned i = 1; i <= ROUNDS; i++) {
        wrong += ((long (*)(unsigned *, long))page)(&inside, 0) != 77;
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
    }
    return (void *)wrong;
}

static void start(pthread_t *threads, void *(*work)(void *))
{
    for (int i = 0; i < READERS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, work, NULL) == 0);
    }
}

static void finish(const char *what, const pthread_t *threads)
{
    for (int i = 0; i < READERS; i++) {
        void *wrong = NULL;

        REQUIRE(pthread_join(threads[i], &wrong) == 0);
        printf("%s, thread %d: wrong %lu\n", what, i, (unsigned long)wrong);
    }
}

static void show_values(void)
{
    pthread_t threads[READERS];

    write_function(page, 0);
    say_it();
    start(threads, await_values);
    for (unsigned i = 1; i <= ROUNDS; i++) {
        pthread_barrier_wait(&barrier);
        if (i % 2 == 0) { /* the others have seen the old one meanwhile */
            sched_yield();
        }
        replace(page, load_immediate(i));
        pthread_barrier_wait(&barrier);
    }
    finish("new values", threads);
}

static void show_turns(void)
{
    pthread_t threads[READERS];
    char *branch = page + (turn_branch - turn_start);
    uint32_t old = 0;

    memcpy(page, turn_start, (size_t)(turn_end - turn_start));
    memcpy(&old, branch, sizeof(old));
    say_it();
    start(threads, turn);
    for (unsigned i = 1; i <= ROUNDS; i++) {
        while (__atomic_load_n(&inside, __ATOMIC_ACQUIRE) != READERS) {
            page[2048 + i]++; /* data of the same page */
            sched_yield();
        }
        inside = 0;
        replace(branch, 0x00000013);
        pthread_barrier_wait(&barrier);
        replace(branch, old);
        pthread_barrier_wait(&barrier);
    }
    finish("out of the loop", threads);
}

int main(void)
{
    page = map_pages(1);
    REQUIRE(pthread_barrier_init(&barrier, NULL, READERS + 1) == 0);
    show_values();
    show_turns();
    return 0;
}
