/* Shows loops over memory that ends where an array does: with a handler of SIGSEGV and SIGBUS, with these blocked or ignored.
 * What looks ahead of the loop must not show; the faults that the loop has itself must. */
#include "common.h"
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define INDICES (PAGE / 4)
#define ROUNDS 40

static uint64_t values[INDICES];
static volatile int faults, sent;
static volatile uintptr_t fault_page;
static sigjmp_buf out;

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    if (info->si_code <= 0) {
        sent += info->si_value.sival_int;
        return;
    }
    faults++;
    fault_page = (uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1);
    siglongjmp(out, 1);
}

/* An index leads to each value. */
__attribute__((noinline)) static uint64_t gather(const uint32_t *indices, unsigned count)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < count; i++) {
        sum += values[indices[i]] + i;
    }
    return sum;
}

/* A place for each value. */
__attribute__((noinline)) static uint64_t follow(uint64_t *const *places, unsigned count)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < count; i++) {
        sum = sum * 3 + *places[i];
    }
    return sum;
}

__attribute__((noinline)) static uint64_t backward(const uint32_t *indices, unsigned count)
{
    uint64_t sum = 0;

    for (unsigned i = count; i-- > 0;) {
        sum = (sum ^ values[indices[i]]) + indices[i];
    }
    return sum;
}

static void walk(const char *name, char *page, bool beyond)
{
    uint32_t *indices = (uint32_t *)(void *)page;
    uint64_t **places = (uint64_t **)(void *)page;
    uint64_t sums[3] = {0, 0, 0};

    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < INDICES; i++) {
            indices[i] = (i * 7 + round) % INDICES;
        }
        sums[0] += gather(indices, INDICES);
        sums[1] += backward(indices, INDICES);
        for (unsigned i = 0; i < PAGE / 8; i++) {
            places[i] = &values[(i * 13 + round) % INDICES];
        }
        sums[2] += follow(places, PAGE / 8);
    }
    printf("%s: %llx %llx %llx, %d faults\n", name, (unsigned long long)sums[0],
           (unsigned long long)sums[1], (unsigned long long)sums[2], faults);
    if (!beyond) {
        return;
    }
    for (unsigned i = 0; i < INDICES; i++) {
        indices[i] = i;
    }
    faults = 0;
    for (volatile int round = 0; round < 4; round++) {
        if (sigsetjmp(out, 1) == 0) {
            printf("%llx\n", (unsigned long long)gather(indices, INDICES + 1));
        }
    }
    printf("%d faults, behind the page: %d\n", faults, fault_page == (uintptr_t)page + PAGE);
    faults = 0;
}

static void handle(void (*ignore)(int))
{
    struct sigaction action = {.sa_flags = SA_SIGINFO};

    action.sa_sigaction = on_fault;
    if (ignore != NULL) {
        action.sa_flags = 0;
        action.sa_handler = ignore;
    }
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

static void show_mask(void)
{
    sigset_t mask;

    sigprocmask(SIG_SETMASK, NULL, &mask);
    printf("blocked: %d %d\n", sigismember(&mask, SIGSEGV), sigismember(&mask, SIGBUS));
}

/* A page, what is behind which cannot be read. */
static void walk_in_all_ways(const char *name, char *page)
{
    sigset_t both;

    sigemptyset(&both);
    sigaddset(&both, SIGSEGV);
    sigaddset(&both, SIGBUS);
    puts(name);
    handle(SIG_DFL);
    walk("without a handler", page, false);
    handle(NULL);
    walk("with one", page, true);
    handle(SIG_IGN);
    walk("ignored", page, false);
    raise(SIGSEGV);
    raise(SIGBUS);
    handle(NULL);
    sigprocmask(SIG_BLOCK, &both, NULL);
    walk("blocked", page, false);
    show_mask();
    sent = 0;
    sigqueue(getpid(), SIGBUS, (union sigval){.sival_int = 20});
    sigqueue(getpid(), SIGSEGV, (union sigval){.sival_int = 3});
    walk("blocked, and some wait", page, false);
    printf("%d came\n", sent);
    sigprocmask(SIG_UNBLOCK, &both, NULL);
    printf("%d came\n", sent);
    show_mask();
    walk("with one again", page, true);
}

int main(void)
{
    char name[] = "/tmp/reads_to_the_end.XXXXXX";
    const int file = mkstemp(name);
    char *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (unsigned i = 0; i < INDICES; i++) {
        values[i] = i * i;
    }
    if (file < 0 || memory == MAP_FAILED || unlink(name) != 0 || ftruncate(file, PAGE) != 0) {
        return 1;
    }
    mprotect(memory + PAGE, PAGE, PROT_NONE);
    walk_in_all_ways("memory", memory);
    char *mapped = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (mapped == MAP_FAILED) {
        return 1;
    }
    walk_in_all_ways("a file", mapped);
    char *shared = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared == MAP_FAILED) {
        return 1;
    }
    walk_in_all_ways("a shared file", shared);
    return 0;
}
