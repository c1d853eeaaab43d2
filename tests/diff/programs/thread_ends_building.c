/* Shows threads that end, or are ended, while they make new code: cancelled at any moment, by the end of the
 * process, by a signal, and beside others that go on; their stacks are used again. */
#include "common.h"
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define PAGE 4096
#define BUILDERS 3

static sem_t building;
static volatile sig_atomic_t told;
static volatile int *volatile nowhere;
static _Thread_local sigjmp_buf back;
static _Thread_local volatile sig_atomic_t jumped;

/* A function of this thread alone, always another, with a branch and a call. */
static unsigned long build(uint32_t *code, unsigned value)
{
    code[0] = value << 20 | 10u << 7 | 0x13; /* li a0, value */
    code[1] = 0x00051463;                    /* bnez a0, 8 */
    code[2] = 0x00150513;                    /* addi a0, a0, 1 */
    code[3] = 0x00008067;
    __builtin___clear_cache((char *)code, (char *)(code + 4));
    return ((unsigned long (*)(void))code)() != (value == 0 ? 1 : value);
}

static uint32_t *map_code(void)
{
    uint32_t *code =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(code != MAP_FAILED);
    return code;
}

static void *build_for_ever(void *place)
{
    uint32_t *code = place != NULL ? place : map_code();

    for (unsigned i = 0;; i++) {
        REQUIRE(build(code + i % 32 * 4, i % 2000) == 0);
        if (i == 3) {
            sem_post(&building);
        }
        if (i % 4 == 3) { /* or others get on slowly */
            sched_yield();
        }
    }
    return NULL;
}

static void *build_and_be_cancelled(void *place)
{
    int old;

    REQUIRE(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0);
    return build_for_ever(place);
}

static void show_cancelled(void)
{
    uint32_t *places[BUILDERS];
    unsigned cancelled = 0;

    for (int i = 0; i < BUILDERS; i++) {
        places[i] = map_code();
    }
    for (int round = 0; round < 5; round++) {
        pthread_t threads[BUILDERS];
        void *result = NULL;

        for (int i = 0; i < BUILDERS; i++) {
            REQUIRE(pthread_create(&threads[i], NULL, build_and_be_cancelled, places[i]) == 0);
        }
        for (int i = 0; i < BUILDERS; i++) {
            REQUIRE(sem_wait(&building) == 0);
        }
        for (int i = 0; i < BUILDERS; i++) {
            REQUIRE(pthread_cancel(threads[i]) == 0);
            REQUIRE(pthread_join(threads[i], &result) == 0);
            cancelled += result == PTHREAD_CANCELED;
        }
    }
    printf("cancelled %u\n", cancelled);
}

static void start_builders(void)
{
    pthread_t thread;

    for (int i = 0; i < BUILDERS; i++) {
        REQUIRE(pthread_create(&thread, NULL, build_for_ever, NULL) == 0);
    }
    for (int i = 0; i < BUILDERS; i++) {
        REQUIRE(sem_wait(&building) == 0);
    }
}

static void *leave(void *unused)
{
    (void)unused;
    _exit(33);
}

/* Each in a process of its own: by its first thread, by another, by a signal to it, by a fault. */
static void end_process(int way)
{
    pthread_t thread;

    start_builders();
    switch (way) {
    case 0:
        _exit(22);
    case 1:
        REQUIRE(pthread_create(&thread, NULL, leave, NULL) == 0);
        break;
    case 2:
        REQUIRE(kill(getpid(), SIGTERM) == 0);
        break;
    default:
        *nowhere = 0;
        break;
    }
    for (;;) {
        pause();
    }
}

static void show_ends(void)
{
    for (int way = 0; way < 4; way++) {
        for (int round = 0; round < 2; round++) {
            int status = 0;

            fflush(stdout);
            if (fork() == 0) {
                end_process(way);
            }
            REQUIRE(wait(&status) > 0);
            printf("end %d: exited %d with %d, by signal %d\n", way, WIFEXITED(status),
                   WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                   WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        }
    }
}

static void count(int number)
{
    told++;
    if (number == SIGUSR2) {
        jumped++;
        siglongjmp(back, 1);
    }
}

/* Until it was jumped out of a handler ten times. */
static void *build_and_jump(void *unused)
{
    uint32_t *code = map_code();
    volatile unsigned i = 0;

    (void)unused;
    sigsetjmp(back, 1);
    sem_post(&building);
    while (jumped < 10) {
        REQUIRE(build(code + i % 32 * 4, i % 2000) == 0);
        i++;
        sched_yield();
    }
    REQUIRE(munmap(code, PAGE) == 0);
    return (void *)(long)jumped;
}

static void show_signals(void)
{
    struct sigaction action = {.sa_handler = count};
    pthread_t thread;
    void *result = NULL;

    REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGUSR2, &action, NULL) == 0);
    REQUIRE(pthread_create(&thread, NULL, build_and_jump, NULL) == 0);
    for (int i = 0; i < 10; i++) {
        REQUIRE(sem_wait(&building) == 0);
        for (int before = told; told == before;) {
            REQUIRE(pthread_kill(thread, SIGUSR1) == 0);
            sched_yield();
        }
        REQUIRE(pthread_kill(thread, SIGUSR2) == 0);
    }
    REQUIRE(pthread_join(thread, &result) == 0);
    printf("jumped out of handlers %ld\n", (long)result);
}

/* The first thread ends; another ends the process later. */
static void *end_later(void *first)
{
    REQUIRE(pthread_join(*(pthread_t *)first, NULL) == 0);
    start_builders();
    printf("the first has ended\n");
    exit(44);
}

int main(void)
{
    static pthread_t first;
    pthread_t thread;

    REQUIRE(sem_init(&building, 0, 0) == 0);
    show_ends(); /* before there are threads here */
    show_cancelled();
    show_signals();
    first = pthread_self();
    REQUIRE(pthread_create(&thread, NULL, end_later, &first) == 0);
    pthread_exit(NULL);
}
