/* Shows that file times are stored and read back: exact values, omitted ones, now. */
#include "common.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>

static void show(const char *what)
{
    struct stat status;

    REQUIRE(stat("data", &status) == 0);
    printf("%s: accessed %ld.%09ld, modified %ld.%09ld\n", what, (long)status.st_atim.tv_sec,
           status.st_atim.tv_nsec, (long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

int main(void)
{
    struct timespec times[2] = {{1000000000, 123456789}, {1500000000, 987654321}};
    struct timeval coarse[2] = {{900000000, 111111}, {950000000, 222222}};
    int file = open("data", O_CREAT | O_RDWR, 0600);
    struct stat before;
    struct stat after;

    REQUIRE(file >= 0 && utimensat(AT_FDCWD, "data", times, 0) == 0);
    show("set by name");
    times[0].tv_nsec = UTIME_OMIT;
    times[1].tv_sec = 1600000000;
    REQUIRE(utimensat(AT_FDCWD, "data", times, 0) == 0);
    show("one omitted");
    times[0].tv_nsec = 5;
    REQUIRE(futimens(file, times) == 0);
    show("set by descriptor");
    REQUIRE(utimes("data", coarse) == 0);
    show("microseconds");
    times[0].tv_nsec = 2000000000;
    printf("bad time: %s\n", outcome(utimensat(AT_FDCWD, "data", times, 0)));
    printf("missing: %s\n", outcome(utimensat(AT_FDCWD, "none", NULL, 0)));
    REQUIRE(stat("data", &before) == 0 && futimens(file, NULL) == 0 && stat("data", &after) == 0);
    printf("now is later: %d\n", after.st_mtim.tv_sec > before.st_mtim.tv_sec);
    return 0;
}
