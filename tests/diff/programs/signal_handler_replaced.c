/* Takes the handler of a signal away while the signal is sent to another thread all the time. */
#include "common.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/cachectl.h>
#include <stdatomic.h>
#include <unistd.h>

enum { ROUNDS = 100, WORKERS = 4 };
static atomic_int stop;
static atomic_uint handled;

static void handle(int number)
{
    (void)number;
    handled++;
}

/* Code that is new all the time makes the signals find a translator at work. */
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
        __riscv_flush_icache(NULL, NULL, 0);
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
