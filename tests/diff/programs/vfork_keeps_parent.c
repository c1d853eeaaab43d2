/* Shows that what vfork's child does to itself leaves its parent alone: registers, handlers, mask,
 * alternate stack; with signals for both, children of the child and other code on the way. */
#include "common.h"
#include <signal.h>
#include <sys/wait.h>

#define ROUNDS 40

static char first_area[16384] __attribute__((aligned(16)));
static char second_area[16384] __attribute__((aligned(16)));
static volatile int parent_signals;
static volatile int child_signals;
static int results[2];

static void in_parent(int number)
{
    parent_signals += number == SIGUSR1 ? 1 : 100;
}

static void in_child(int number)
{
    (void)number;
    child_signals++;
}

static void install(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESTART};

    REQUIRE(sigaction(number, &action, NULL) == 0);
}

static void use_area(char *area)
{
    stack_t stack = {.ss_sp = area, .ss_size = sizeof(first_area)};

    REQUIRE(sigaltstack(&stack, NULL) == 0);
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Code that the parent has not run yet in the first round. */
__attribute__((noinline)) static uint64_t work(uint64_t seed)
{
    uint64_t numbers[200];
    char text[64];

    for (size_t i = 0; i < 200; i++) {
        numbers[i] = next_random(&seed);
    }
    qsort(numbers, 200, sizeof(numbers[0]), compare);
    snprintf(text, sizeof(text), "%016lx %g", numbers[77], (double)(numbers[3] >> 40));
    return checksum(CHECKSUM_START, text, strlen(text));
}

__attribute__((noreturn, noinline)) static void be_child(int round)
{
    sigset_t all;
    pid_t child = 0;
    int status = 0;
    uint64_t sum = 0;

    install(SIGUSR1, in_child);
    use_area(second_area);
    child_signals = 0;
    raise(SIGUSR1);
    kill(getppid(), SIGUSR2);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sum = work((uint64_t)round + 1);
    child = vfork();
    if (child == 0) {
        signal(SIGUSR1, SIG_DFL);
        sigemptyset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
        if (round % 2 == 0) {
            raise(SIGUSR1);
        }
        _exit(3);
    }
    sum += waitpid(child, &status, 0) == child ? (uint64_t)status : 0;
    sum += (uint64_t)child_signals;
    if (write(results[1], &sum, sizeof(sum)) != (ssize_t)sizeof(sum)) {
        _exit(98);
    }
    if (round % 3 == 0) {
        execl("/nowhere", "nowhere", (char *)NULL);
        _exit(5);
    }
    if (round % 3 == 1) {
        kill(getpid(), SIGKILL);
    }
    _exit(4);
}

/* All that is live over the call has to be there afterwards. */
__attribute__((noinline)) static uint64_t live_over_call(int round, uint64_t *seed)
{
    const uint64_t a = next_random(seed), b = next_random(seed), c = next_random(seed);
    const uint64_t d = next_random(seed), e = next_random(seed), f = next_random(seed);
    const double x = (double)(a >> 40), y = (double)(b >> 40);
    int status = 0;
    const pid_t child = vfork();

    if (child == 0) {
        be_child(round);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    return a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f + (uint64_t)(x * 17 + y) + (uint64_t)status;
}

int main(void)
{
    uint64_t seed = 12345;
    uint64_t sum = 0;
    unsigned wrong = 0;

    REQUIRE(pipe(results) == 0);
    install(SIGUSR1, in_parent);
    install(SIGUSR2, in_parent);
    use_area(first_area);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t result = 0;
        stack_t stack;
        sigset_t mask;

        sum = checksum_word(sum, live_over_call(round, &seed));
        REQUIRE(read(results[0], &result, sizeof(result)) == (ssize_t)sizeof(result));
        sum = checksum_word(sum, result);
        REQUIRE(sigaltstack(NULL, &stack) == 0 && sigprocmask(SIG_SETMASK, NULL, &mask) == 0);
        wrong += stack.ss_sp != first_area;
        wrong += sigismember(&mask, SIGUSR1) || sigismember(&mask, SIGTERM);
        raise(SIGUSR1);
    }
    printf("sum %016lx, wrong %u, signals %d\n", sum, wrong, parent_signals);
    return 0;
}
