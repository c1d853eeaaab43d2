/* Shows that signals at arbitrary instructions change nothing: integers, doubles and lr/sc
 * loops. */
#include "common.h"
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;
static volatile double scratch = 1;
static uint64_t reserved;

static void tick(int number)
{
    uint64_t old = 0;

    (void)number;
    ticks++;
    scratch = scratch * 1.5 + ticks;
    /* A reservation made here must not survive the return into the middle of another. */
    __asm__ volatile("lr.d %0, (%1)" : "=&r"(old) : "r"(&reserved) : "memory");
}

static uint64_t add_atomically(uint64_t *at)
{
    uint64_t value = 0;
    uint64_t failed = 0;

    __asm__ volatile("1: lr.d.aq %0, (%2)\n"
                     "   addi %0, %0, 1\n"
                     "   sc.d.rl %1, %0, (%2)\n"
                     "   bnez %1, 1b"
                     : "=&r"(value), "=&r"(failed)
                     : "r"(at)
                     : "memory");
    return value;
}

int main(void)
{
    struct itimerval timer = {{0, 500}, {0, 500}};
    uint64_t state = 1;
    double sum = 0;
    uint64_t counter = 0;

    REQUIRE(signal(SIGALRM, tick) != SIG_ERR && setitimer(ITIMER_REAL, &timer, NULL) == 0);
    for (int i = 0; i < 3000000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(state >> 40) * 0.5;
        add_atomically(&counter);
    }
    memset(&timer, 0, sizeof(timer));
    REQUIRE(setitimer(ITIMER_REAL, &timer, NULL) == 0);
    printf("some signals %d, state %016lx, sum %.17g, counter %lu\n", ticks > 3, state, sum,
           counter);
    return 0;
}
