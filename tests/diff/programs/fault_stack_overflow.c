/* Shows stack overflow: caught on the alternate stack in main and in a thread, then gone on. */
#include "common.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

static _Thread_local sigjmp_buf back;
static volatile int caught;

static void note(int number)
{
    (void)number;
    __atomic_fetch_add(&caught, 1, __ATOMIC_SEQ_CST);
    siglongjmp(back, 1);
}

static volatile uint64_t no_limit = UINT64_MAX;

__attribute__((noinline)) static uint64_t descend(uint64_t depth)
{
    volatile char frame[512];

    frame[depth % 512] = (char)depth;
    if (depth == no_limit) {
        return 0;
    }
    return descend(depth + 1) + (unsigned char)frame[depth % 512];
}

static void *overflow(void *unused)
{
    stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};

    (void)unused;
    REQUIRE(stack.ss_sp != NULL && sigaltstack(&stack, NULL) == 0);
    if (sigsetjmp(back, 1) == 0) {
        return (void *)descend(1);
    }
    return (void *)11;
}

int main(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_ONSTACK};
    pthread_t thread;
    void *result = NULL;

    REQUIRE(sigaction(SIGSEGV, &action, NULL) == 0);
    for (int i = 0; i < 3; i++) {
        printf("main %ld\n", (long)overflow(NULL));
    }
    REQUIRE(pthread_create(&thread, NULL, overflow, NULL) == 0);
    REQUIRE(pthread_join(thread, &result) == 0);
    printf("thread %ld, caught %d\n", (long)result, caught);
    return 0;
}
