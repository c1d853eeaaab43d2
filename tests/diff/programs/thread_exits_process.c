/* Shows that exit in any thread ends the whole process, with its handlers and status. */
#include "common.h"
#include <pthread.h>

static void say(void)
{
    printf("handler ran\n");
}

static void *leave(void *unused)
{
    (void)unused;
    printf("thread leaves\n");
    exit(44);
}

static void *spin(void *unused)
{
    volatile uint64_t value = 0;

    (void)unused;
    for (;;) {
        value++;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;

    REQUIRE(atexit(say) == 0);
    REQUIRE(pthread_create(&thread, NULL, spin, NULL) == 0);
    REQUIRE(pthread_create(&thread, NULL, leave, NULL) == 0);
    for (;;) {
        pause();
    }
}
