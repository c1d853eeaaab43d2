/* Takes the handler of a signal away while the signal is sent to another thread all the time.
 *
 * qemu-riscv64 sometimes jumps to the handler when it has just become SIG_DFL, which is 0. */
#include "common.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 100, WORKERS = 4 };
static atomic_int stop;
static atomic_uint handled;

static void handle(int number)
{
    (void)number;
    handled++;
}

static void forget_code(void)
{
    const uintptr_t page = (uintptr_t)handle & ~(uintptr_t)4095;

    REQUIRE(mprotect((void *)page, 4096, PROT_READ | PROT_EXEC) == 0);
}

/* Code whose mapping changes all the time makes the signals find a translator at work. */
static void *work(void *argument)
{
    volatile unsigned sum = 0;

    (void)argument;
    while (!stop) {
        char text[64];
        for (int i = 0; i < 20; i++) {
            snprintf(text, sizeof(text), "%d %x %g", i, i, i * 0.5);
            sum += (unsigned)strlen(text);
        }
        forget_code();
    }
    return NULL;
}

int main(void)
{
    static const int numbers[] = {SIGCHLD, SIGURG, SIGWINCH, SIGCONT};
    pthread_t workers[WORKERS];
    struct sigaction action = {.sa_handler = handle};
    struct sigaction old;
    unsigned wrong = 0;

    for (int i = 0; i < WORKERS; i++) {
        REQUIRE(pthread_create(&workers[i], NULL, work, NULL) == 0);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
            action.sa_handler = handle;
            REQUIRE(sigaction(numbers[i], &action, &old) == 0);
            wrong += old.sa_handler == handle;
            REQUIRE(pthread_kill(workers[i], numbers[i]) == 0);
            action.sa_handler = round % 2 == 0 ? SIG_DFL : SIG_IGN;
            REQUIRE(sigaction(numbers[i], &action, &old) == 0);
            wrong += old.sa_handler != handle;
            REQUIRE(pthread_kill(workers[i], numbers[i]) == 0);
        }
    }
    stop = 1;
    for (int i = 0; i < WORKERS; i++) {
        REQUIRE(pthread_join(workers[i], NULL) == 0);
    }
    printf("alive, at most one for each: %d, wrong: %u\n", handled <= 4 * ROUNDS, wrong);
    return 0;
}
