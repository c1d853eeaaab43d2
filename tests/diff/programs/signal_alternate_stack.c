/* Shows sigaltstack: handlers run on it when asked, nested ones too, its state can be queried, and the frame of a
 * handler holds it. */
#include "common.h"
#include <signal.h>
#include <ucontext.h>

static char area[65536] __attribute__((aligned(16)));
static volatile int inside_count;

static int on_area(const void *address)
{
    return (const char *)address >= area && (const char *)address < area + sizeof(area);
}

static void note(int number)
{
    int local = 0;
    stack_t state;

    REQUIRE(sigaltstack(NULL, &state) == 0);
    printf("signal %d: on the area %d, state %d\n", number, on_area(&local),
           (state.ss_flags & SS_ONSTACK) != 0);
    inside_count += on_area(&local);
    if (number == SIGUSR1) {
        printf("changing while on it: %s\n", outcome(sigaltstack(&state, NULL)));
        raise(SIGHUP);
        raise(SIGUSR2);
    }
}

static void show_frame(int number, siginfo_t *info, void *context)
{
    const stack_t *stack = &((const ucontext_t *)context)->uc_stack;

    (void)number;
    (void)info;
    printf("frame: flags %d, %zu bytes, at the area %d\n", stack->ss_flags, stack->ss_size,
           stack->ss_sp == area);
}

/* What the frame of a handler says of the alternate stack, on it and on the other. */
static void show_frames(void)
{
    struct sigaction action = {.sa_sigaction = show_frame, .sa_flags = SA_SIGINFO};

    for (int i = 0; i < 2; i++) {
        REQUIRE(sigaction(SIGTERM, &action, NULL) == 0 && raise(SIGTERM) == 0);
        action.sa_flags |= SA_ONSTACK;
    }
}

int main(void)
{
    stack_t area_stack = {.ss_sp = area, .ss_size = sizeof(area)};
    stack_t state;
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_ONSTACK};

    REQUIRE(sigaltstack(NULL, &state) == 0);
    printf("at first disabled %d\n", state.ss_flags == SS_DISABLE);
    show_frames();
    REQUIRE(sigaltstack(&area_stack, NULL) == 0);
    show_frames();
    REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGHUP, &action, NULL) == 0);
    action.sa_flags = 0;
    REQUIRE(sigaction(SIGUSR2, &action, NULL) == 0);
    REQUIRE(raise(SIGUSR1) == 0 && raise(SIGUSR2) == 0);
    printf("on the area %d times\n", inside_count);
    REQUIRE(sigaltstack(NULL, &state) == 0);
    printf("read back %d %zu %d\n", state.ss_sp == area, state.ss_size, state.ss_flags);
    area_stack.ss_size = 100;
    printf("too small: %s\n", outcome(sigaltstack(&area_stack, NULL)));
    area_stack.ss_flags = SS_DISABLE;
    REQUIRE(sigaltstack(&area_stack, &state) == 0 && raise(SIGUSR1) == 0);
    show_frames();
    return 0;
}
