/* Shows pointers to nested functions, for which the compiler writes code onto the stack: again and again in
 * the same place, recursive, in threads, and in a handler. */
#include "common.h"
#include <pthread.h>
#include <signal.h>

#define THREADS 3
#define ROUNDS 8

static long apply(long (*function)(long), long value)
{
    return function(value);
}

/* Two that have their code in the same place, one after the other. */
__attribute__((noinline)) static long add_by_nested(long amount, long value)
{
    long add(long x)
    {
        return x + amount;
    }
    return apply(add, value);
}

__attribute__((noinline)) static long multiply_by_nested(long factor, long value)
{
    long multiply(long x)
    {
        return x * factor;
    }
    return apply(multiply, value);
}

/* The man or boy test: each depth has its own. */
static long boy(long depth, long (*f)(void), long (*g)(void), long (*h)(void))
{
    long inner(void)
    {
        return boy(--depth, inner, f, g);
    }
    return depth <= 0 ? g() + h() : inner();
}

static long one(void)
{
    return 1;
}

static long minus_one(void)
{
    return -1;
}

static long nought(void)
{
    return 0;
}

static void *work(void *number)
{
    const long self = (long)number;
    uint64_t hash = CHECKSUM_START;

    for (long i = 0; i < ROUNDS; i++) {
        hash = checksum_word(hash, (uint64_t)add_by_nested(i * self, i));
        hash = checksum_word(hash, (uint64_t)multiply_by_nested(i, i + self));
        hash = checksum_word(hash, (uint64_t)boy(i % 5 + 1, one, minus_one, nought));
    }
    return (void *)hash;
}

static volatile long handled;

static void handle(int number)
{
    handled += add_by_nested(number, 100);
}

int main(void)
{
    pthread_t threads[THREADS];
    void *result = NULL;

    printf("%ld %ld\n", add_by_nested(3, 4), multiply_by_nested(3, 4));
    for (long depth = 1; depth <= 7; depth++) {
        printf("depth %ld: %ld\n", depth, boy(depth, one, minus_one, nought));
    }
    printf("alone %016lx\n", (uint64_t)work((void *)5));
    REQUIRE(signal(SIGUSR1, handle) != SIG_ERR);
    for (int i = 0; i < 20; i++) {
        REQUIRE(raise(SIGUSR1) == 0);
    }
    printf("handled %ld\n", handled);
    for (long i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], &result) == 0);
        printf("thread %d: %016lx\n", i, (uint64_t)result);
    }
    return 0;
}
