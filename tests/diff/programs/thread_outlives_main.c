/* Shows that the process lives on when its first thread ends, until the last thread has ended. */
#include "common.h"
#include <pthread.h>
#include <signal.h>

static pthread_t first;

static void *outlive(void *unused)
{
    void *result = NULL;

    (void)unused;
    REQUIRE(pthread_join(first, &result) == 0);
    printf("first thread ended with %ld\n", (long)result);
    usleep(10000);
    printf("process is there: %s\n", outcome(kill(getpid(), 0)));
    return NULL;
}

int main(void)
{
    pthread_t thread;

    first = pthread_self();
    REQUIRE(pthread_create(&thread, NULL, outlive, NULL) == 0);
    pthread_exit((void *)77);
}
