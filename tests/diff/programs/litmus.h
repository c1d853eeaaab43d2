/* Owns what the litmus programs share: two threads that run hot loops side by side, plain loads and
 * stores, fences, and the verdict.
 *
 * A loop counts what RISC-V's memory model forbids, or ends only if another thread's stores are
 * seen.  Its loads are single plain instructions, since they are volatile.  With -DWRONG the loops
 * are what a wrong optimizer would have made of them, as each program says, and then they must
 * fail: tests/litmus/run builds both.
 *
 * On the machine threads run in turns of some ten thousand instructions, and a turn may end
 * behind any of them.  So what must not be carried along stands before some work, and what must be
 * loaded anew behind it: many turns end between the two.  The work's length varies, or they would
 * all end at the same few places. */
#ifndef DIFF_LITMUS_H
#define DIFF_LITMUS_H

#include "common.h"
#include <pthread.h>
#include <time.h>

#ifndef ROUNDS
#define ROUNDS UINT64_C(150000)
#endif

/* Each for itself, so that two threads that write do not disturb each other. */
struct place {
    _Alignas(64) uint64_t value;
};

struct litmus {
    const char *name;
    void (*first)(void);
    void (*second)(void);
    uint64_t (*judge)(void); /* counts what is forbidden when both have ended; NULL: they did it */
};

static struct place data, flag, stop, ready;
static uint64_t words[4];  /* further data */
static struct place found; /* how often something forbidden was seen */

#define HOT __attribute__((noinline, noclone))

static inline uint64_t load(const uint64_t *place)
{
    return *(const volatile uint64_t *)place;
}

static inline void store(uint64_t *place, uint64_t value)
{
    *(volatile uint64_t *)place = value;
}

/* Loads what has been loaded or stored before, with `earlier` as its value then. */
static inline uint64_t load_again(const uint64_t *place, uint64_t earlier)
{
#ifdef WRONG
    (void)place;
    __asm__ volatile("" : "+r"(earlier)); /* here, and not compared at compile time */
    return earlier;
#else
    (void)earlier;
    return load(place);
#endif
}

static inline void fence(void)
{
    __asm__ volatile("fence rw,rw" ::: "memory");
}

static inline void fence_loads(void)
{
    __asm__ volatile("fence r,r" ::: "memory");
}

static inline void fence_stores(void)
{
    __asm__ volatile("fence w,w" ::: "memory");
}

/* The same pointer, of which nobody knows where it leads. */
static inline uint64_t *unknown(uint64_t *place)
{
    __asm__ volatile("" : "+r"(place));
    return place;
}

/* Instructions of which none can be left out. */
static inline uint64_t work(uint64_t x)
{
    uint64_t shifted;
    __asm__ volatile("slli %1, %0, 13\n"
                     "xor %0, %0, %1\n"
                     "srli %1, %0, 7\n"
                     "xor %0, %0, %1\n"
                     "slli %1, %0, 17\n"
                     "xor %0, %0, %1"
                     : "+r"(x), "=&r"(shifted));
    return x;
}

/* More of it, and another way once in 64 times: a loop without a branch that a trace could leave
 * gets no trace, and one whose turns all have the same length is interrupted at the same places
 * again and again. */
static inline uint64_t much_work(uint64_t x)
{
    x = work(work(x));
    return (x & 63) == 0 ? work(work(work(x))) : x;
}

/* For the loop that need not be interrupted: where both threads have one processor of the host, who
 * wakes takes it from the other one at any place of its turn, which otherwise happens only some
 * hundred times in a second. */
static inline void seldom_sleep(uint64_t turn)
{
    if (turn % 1024 == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
}

static inline void begin_together(void)
{
    __atomic_fetch_add(&ready.value, 1, __ATOMIC_SEQ_CST);
    while (load(&ready.value) < 2) {
    }
}

static inline void *litmus_second(void *test)
{
    begin_together();
    ((const struct litmus *)test)->second();
    return NULL;
}

static inline uint64_t litmus_run(const struct litmus *test)
{
    pthread_t thread;

    data.value = flag.value = stop.value = ready.value = found.value = 0;
    memset(words, 0, sizeof(words));
    REQUIRE(pthread_create(&thread, NULL, litmus_second, (void *)test) == 0);
    begin_together();
    test->first();
    store(&stop.value, 1);
    REQUIRE(pthread_join(thread, NULL) == 0);
    const uint64_t forbidden = found.value + (test->judge != NULL ? test->judge() : 0);
    /* How often depends on the host. */
    printf("%s: %s\n", test->name, forbidden == 0 ? "nothing forbidden" : "FORBIDDEN");
    fflush(stdout);
    return forbidden;
}

/* Runs all tests, or the one that the argument names; the program's exit status. */
static inline int litmus_main(const struct litmus *tests, size_t count, int argc, char **argv)
{
    uint64_t forbidden = 0;
    size_t runs = 0;

    for (size_t i = 0; i < count; i++) {
        if (argc < 2 || strcmp(argv[1], tests[i].name) == 0) {
            forbidden += litmus_run(&tests[i]);
            runs++;
        }
    }
    REQUIRE(runs > 0);
    return forbidden != 0;
}

#define LITMUS_MAIN(tests)                                                                         \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        return litmus_main(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);                   \
    }

#endif
