/* Shows eventfd: counting, semaphore mode, overflow, waking another thread. */
#include "common.h"
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

static void *post(void *word)
{
    int event = *(int *)word;

    for (int i = 0; i < 1000; i++) {
        REQUIRE(eventfd_write(event, 3) == 0);
    }
    return NULL;
}

int main(void)
{
    int event = eventfd(5, EFD_NONBLOCK);
    int semaphore = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
    int waiting = eventfd(0, 0);
    eventfd_t value = 0;
    uint64_t total = 0;
    pthread_t thread;
    struct pollfd set = {event, POLLIN | POLLOUT, 0};

    REQUIRE(event >= 0 && semaphore >= 0 && waiting >= 0);
    REQUIRE(eventfd_write(event, 10) == 0 && eventfd_read(event, &value) == 0);
    printf("sum %lu, then %s\n", value, outcome(eventfd_read(event, &value)));
    REQUIRE(eventfd_read(semaphore, &value) == 0);
    printf("semaphore %lu", value);
    REQUIRE(eventfd_read(semaphore, &value) == 0);
    printf(" %lu", value);
    printf(" %s\n", outcome(eventfd_read(semaphore, &value)));
    REQUIRE(eventfd_write(event, UINT64_MAX - 1) == 0);
    printf("overflow %s", outcome(eventfd_write(event, 1)));
    REQUIRE(poll(&set, 1, 0) == 1);
    printf(", readable %d, writable %d\n", (set.revents & POLLIN) != 0,
           (set.revents & POLLOUT) != 0);
    printf("all ones %s\n", outcome(eventfd_write(event, UINT64_MAX)));
    REQUIRE(pthread_create(&thread, NULL, post, &waiting) == 0);
    while (total < 3000) {
        REQUIRE(eventfd_read(waiting, &value) == 0);
        total += value;
    }
    REQUIRE(pthread_join(thread, NULL) == 0);
    printf("total %lu\n", total);
    return 0;
}
