/* Shows timerfd: expirations counted, waited for with poll, without waiting, read sizes. */
#include "common.h"
#include <poll.h>
#include <sys/timerfd.h>
#include <time.h>

int main(void)
{
    struct itimerspec time = {{0, 3000000}, {0, 3000000}};
    struct itimerspec left;
    uint64_t count = 0;
    uint64_t total = 0;
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    struct pollfd waiting = {timer, POLLIN, 0};

    REQUIRE(timer >= 0);
    printf("not started: %s\n", outcome(read(timer, &count, 8)));
    REQUIRE(timerfd_settime(timer, 0, &time, NULL) == 0);
    while (total < 4) {
        REQUIRE(poll(&waiting, 1, 5000) == 1 && read(timer, &count, 8) == 8 && count > 0);
        total += count;
    }
    printf("expired often enough\n");
    REQUIRE(timerfd_gettime(timer, &left) == 0);
    printf("interval %ld\n", left.it_interval.tv_nsec);
    time = (struct itimerspec){{0, 0}, {0, 1000000}};
    REQUIRE(timerfd_settime(timer, 0, &time, &left) == 0);
    printf("old interval %ld\n", left.it_interval.tv_nsec);
    REQUIRE(poll(&waiting, 1, 5000) == 1 && read(timer, &count, 8) == 8);
    printf("once: %lu, again: %s\n", count, outcome(read(timer, &count, 8)));
    printf("short read: %s\n", outcome(read(timer, &count, 4)));
    printf("bad clock: %s\n", outcome(timerfd_create(77, 0)));
    return 0;
}
