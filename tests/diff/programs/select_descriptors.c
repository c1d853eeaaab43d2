/* Shows select and pselect: sets changed in place, high descriptors, time-outs, bad descriptors. */
#include "common.h"
#include <signal.h>
#include <sys/select.h>

static volatile sig_atomic_t handled;

static void handle(int number)
{
    handled = number;
}

int main(void)
{
    int a[2];
    int high = 0;
    fd_set reading;
    fd_set writing;
    sigset_t mask;
    sigset_t none;
    struct timeval time = {0, 10000};
    int result = 0;

    REQUIRE(pipe(a) == 0);
    high = dup2(a[0], 200);
    FD_ZERO(&reading);
    FD_ZERO(&writing);
    FD_SET(a[0], &reading);
    FD_SET(high, &reading);
    FD_SET(a[1], &writing);
    result = select(201, &reading, &writing, NULL, &time);
    printf("empty: %d, %d %d %d\n", result, FD_ISSET(a[0], &reading) != 0,
           FD_ISSET(high, &reading) != 0, FD_ISSET(a[1], &writing) != 0);
    REQUIRE(write(a[1], "abc", 3) == 3);
    FD_ZERO(&reading);
    FD_SET(a[0], &reading);
    FD_SET(high, &reading);
    result = select(201, &reading, NULL, NULL, NULL);
    printf("written: %d, %d %d\n", result, FD_ISSET(a[0], &reading) != 0,
           FD_ISSET(high, &reading) != 0);
    result = select(a[0], &reading, NULL, NULL, &(struct timeval){0, 1000});
    printf("count excludes: %d\n", result);
    FD_ZERO(&reading);
    FD_SET(150, &reading);
    printf("bad descriptor: %s\n", outcome(select(201, &reading, NULL, NULL, &time)));
    printf("bad count: %s\n", outcome(select(-1, NULL, NULL, NULL, &time)));
    sigemptyset(&none);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    REQUIRE(sigprocmask(SIG_BLOCK, &mask, NULL) == 0 && signal(SIGUSR2, handle) != SIG_ERR);
    REQUIRE(raise(SIGUSR2) == 0 && handled == 0);
    printf("pselect: %s", outcome(pselect(0, NULL, NULL, NULL, &(struct timespec){5, 0}, &none)));
    printf(", handled %d\n", handled == SIGUSR2);
    return 0;
}
