/* What the stress programs share: how long they run, random numbers, checks, and code made at run time. */
#ifndef STRESS_H
#define STRESS_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The first thing that is wrong ends the program, with a status that nothing else has. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            stress_fail(__FILE__, __LINE__, #condition);                                           \
        }                                                                                          \
    } while (0)

#define STATUS_WRONG 99
#define PAGE 4096

static inline _Noreturn void stress_fail(const char *file, int line, const char *condition)
{
    char text[256];
    const int length =
        snprintf(text, sizeof text, "%s:%d: %s (errno %d)\n", file, line, condition, errno);

    if (write(STDERR_FILENO, text, (size_t)length) < 0) {
        _exit(STATUS_WRONG - 1);
    }
    _exit(STATUS_WRONG);
}

static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* One sequence for each thread and each seed. */
static inline uint64_t start_random(uint64_t seed, uint64_t thread)
{
    uint64_t state =
        (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (thread + 1) * UINT64_C(0xbf58476d1ce4e5b9);

    if (state == 0) {
        state = 1;
    }
    for (int i = 0; i < 8; i++) {
        next_random(&state);
    }
    return state;
}

static inline int64_t now_nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Arguments of all of them: how many seconds, and a seed. */
struct stress {
    int64_t end;
    uint64_t seed;
};

static inline struct stress stress_begin(int count, char **arguments)
{
    struct stress stress = {.seed = 1};
    const double seconds = count > 1 ? atof(arguments[1]) : 1;

    if (count > 2) {
        stress.seed = strtoull(arguments[2], NULL, 10);
    }
    stress.end = now_nanoseconds() + (int64_t)(seconds * 1e9);
    return stress;
}

/* A thread does a few rounds however slow everything is: each program says how many. */
static inline bool stress_goes_on(const struct stress *stress, unsigned round, unsigned least)
{
    return round < least || now_nanoseconds() < stress->end;
}

/* many.c: MANY small functions at places of their own, and what each of them must return. */
#define MANY 1024
extern uint64_t (*const many[MANY])(uint64_t);
uint64_t many_model(unsigned number, uint64_t x);
/* Calls some of them in random order, and requires the right results. */
void many_check(uint64_t *random, unsigned calls);

/* jit.c: writes a function of one argument, returns its words, and what it gives for `x`. */
#define JIT_WORDS 512
size_t jit_write(uint32_t *code, uint64_t *random, uint64_t x, uint64_t *wanted);
uint64_t jit_call(const uint32_t *code, uint64_t x);
/* The two ways to say that code has changed: for this thread, for all of them. */
void jit_fence(void);
void jit_flush(uint32_t *code, size_t words);

#endif
