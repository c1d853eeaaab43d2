/* Shows coroutines that wander from thread to thread, each resumed where the last thread left it, and signals
 * taken on the stack that is each thread's own. */
#include "common.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#define THREADS 3
#define COROUTINES 6
#define STEPS 60
#define STACK 65536

static struct coroutine {
    ucontext_t context;
    char *stack;
    uint64_t value;
    unsigned steps;
} coroutines[COROUTINES];

static _Thread_local ucontext_t scheduler;
static _Thread_local unsigned long identity;
static _Thread_local char *own_stack;
static _Thread_local volatile unsigned handled;
static _Thread_local sigjmp_buf back;
static pthread_barrier_t barrier;
static unsigned misplaced;

/* Not inlined, so that nobody keeps the address of a thread's data in a coroutine. */
__attribute__((noinline)) static ucontext_t *current_scheduler(void)
{
    __asm__ volatile("");
    return &scheduler;
}

__attribute__((noinline)) static unsigned long current_identity(void)
{
    __asm__ volatile("");
    return identity;
}

/* From some depth, so that the way back is through returns that another thread has called. */
__attribute__((noinline)) static uint64_t descend(struct coroutine *own, unsigned depth)
{
    if (depth == 0) {
        own->value = own->value * 31 + current_identity();
        own->steps++;
        REQUIRE(swapcontext(&own->context, current_scheduler()) == 0);
        return current_identity();
    }
    return descend(own, depth - 1) * 3 + depth;
}

static void run_coroutine(int number)
{
    struct coroutine *own = &coroutines[number];

    for (unsigned i = 0; i < STEPS; i++) {
        own->value += descend(own, i % 9);
    }
    own->steps = UINT32_MAX;
    setcontext(current_scheduler());
}

static void take(int number, siginfo_t *info, void *context)
{
    char here;

    (void)context;
    if (&here < own_stack || &here >= own_stack + STACK) {
        __atomic_fetch_add(&misplaced, 1, __ATOMIC_SEQ_CST);
    }
    handled++;
    if (number == SIGSEGV) {
        REQUIRE(info->si_addr == (void *)(16 + identity * 8));
        siglongjmp(back, 1);
    }
}

/* One signal of each kind; the second is left by a jump. */
static void be_signalled(void)
{
    REQUIRE(pthread_kill(pthread_self(), SIGUSR1) == 0);
    if (sigsetjmp(back, 1) == 0) {
        *(volatile char *)(16 + identity * 8) = 1;
    }
}

/* In each round each thread resumes other coroutines than before. */
static void *work(void *number)
{
    stack_t stack = {.ss_sp = malloc(STACK), .ss_size = STACK};

    identity = (unsigned long)number;
    own_stack = stack.ss_sp;
    REQUIRE(own_stack != NULL && sigaltstack(&stack, NULL) == 0);
    for (unsigned round = 0; round < STEPS + 1; round++) {
        for (unsigned i = 0; i < COROUTINES; i++) {
            if ((i + round * (1 + i / THREADS)) % THREADS == identity) {
                REQUIRE(swapcontext(&scheduler, &coroutines[i].context) == 0);
            }
        }
        be_signalled();
        pthread_barrier_wait(&barrier);
    }
    return (void *)(unsigned long)handled;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = take, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    pthread_t threads[THREADS];
    void *result = NULL;

    REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGSEGV, &action, NULL) == 0);
    REQUIRE(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
    for (int i = 0; i < COROUTINES; i++) {
        struct coroutine *own = &coroutines[i];

        own->stack = malloc(STACK);
        REQUIRE(own->stack != NULL && getcontext(&own->context) == 0);
        own->context.uc_stack = (stack_t){.ss_sp = own->stack, .ss_size = STACK};
        own->context.uc_link = NULL;
        makecontext(&own->context, (void (*)(void))run_coroutine, 1, i);
    }
    for (long i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], &result) == 0);
        printf("thread %d took %lu signals\n", i, (unsigned long)result);
    }
    for (int i = 0; i < COROUTINES; i++) {
        printf("coroutine %d: %016lx, ended %d\n", i, coroutines[i].value,
               coroutines[i].steps == UINT32_MAX);
    }
    printf("on another stack %u\n", misplaced);
    return 0;
}
