/* Shows sleeping: never too short, absolute and relative, bad times refused. */
#include "common.h"
#include <poll.h>
#include <sys/select.h>
#include <time.h>

static int64_t now(void)
{
    struct timespec time;

    REQUIRE(clock_gettime(CLOCK_MONOTONIC, &time) == 0);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

int main(void)
{
    struct timespec time = {0, 20000000};
    int64_t start = now();

    REQUIRE(nanosleep(&time, NULL) == 0);
    printf("nanosleep long enough: %d\n", now() - start >= 20000000);
    start = now();
    REQUIRE(usleep(5000) == 0);
    printf("usleep long enough: %d\n", now() - start >= 5000000);
    start = now();
    REQUIRE(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL) == 0);
    printf("clock_nanosleep long enough: %d\n", now() - start >= 20000000);
    start = now();
    time.tv_sec = (start + 30000000) / 1000000000;
    time.tv_nsec = (start + 30000000) % 1000000000;
    REQUIRE(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == 0);
    printf("absolute long enough: %d\n", now() - start >= 30000000);
    start = now();
    REQUIRE(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == 0);
    printf("absolute in the past returns\n");
    start = now();
    printf("poll %d, ", poll(NULL, 0, 10));
    printf("long enough: %d\n", now() - start >= 10000000);
    start = now();
    printf("select %d, ", select(0, NULL, NULL, NULL, &(struct timeval){0, 10000}));
    printf("long enough: %d\n", now() - start >= 10000000);
    time.tv_nsec = 1000000000;
    printf("bad time: %s\n", outcome(nanosleep(&time, NULL)));
    time = (struct timespec){0, 0};
    printf("no time: %s\n", outcome(nanosleep(&time, NULL)));
    return 0;
}
