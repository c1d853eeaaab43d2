/* Shows the clocks: they grow, agree with each other, have resolutions; only relations are
 * printed. */
#include "common.h"
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

static int64_t now(clockid_t clock)
{
    struct timespec time;

    REQUIRE(clock_gettime(clock, &time) == 0);
    REQUIRE(time.tv_nsec >= 0 && time.tv_nsec < 1000000000);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static uint64_t work(int rounds)
{
    uint64_t state = 1;

    while (rounds-- > 0) {
        next_random(&state);
    }
    return state;
}

int main(void)
{
    static const clockid_t clocks[] = {CLOCK_REALTIME,           CLOCK_MONOTONIC,
                                       CLOCK_MONOTONIC_RAW,      CLOCK_BOOTTIME,
                                       CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID};
    struct timespec resolution;
    struct timeval day;
    struct tms spent;
    int backwards = 0;
    int64_t last = now(CLOCK_MONOTONIC);
    uint64_t value = 0;

    for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
        int64_t before = now(clocks[i]);

        value += work(3000000);
        printf("clock %zu grows: %d, resolution: %s", i, now(clocks[i]) > before,
               outcome(clock_getres(clocks[i], &resolution)));
        printf(" %d\n", resolution.tv_sec == 0 && resolution.tv_nsec > 0);
    }
    for (int i = 0; i < 10000; i++) {
        int64_t next = now(CLOCK_MONOTONIC);

        backwards += next < last;
        last = next;
    }
    printf("went back %d times\n", backwards);
    REQUIRE(gettimeofday(&day, NULL) == 0);
    printf("time agrees: %d %d\n", labs(day.tv_sec - now(CLOCK_REALTIME) / 1000000000) <= 2,
           labs(time(NULL) - day.tv_sec) <= 2);
    printf("after 2001: %d\n", day.tv_sec > 1000000000);
    printf("times: %d, clock: %d\n", times(&spent) != (clock_t)-1, clock() != (clock_t)-1);
    printf("bad clock: %s\n", outcome(clock_gettime(12345, &resolution)));
    printf("work %016lx\n", value);
    return 0;
}
