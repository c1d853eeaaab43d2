/* Shows descriptors: duplication, shared offsets, lowest number, flags, limits. */
#include "common.h"
#include <fcntl.h>
#include <sys/resource.h>

int main(void)
{
    int file = open("data", O_CREAT | O_RDWR, 0600);
    int copy = dup(file);
    char c = 0;
    struct rlimit limit;
    int opened = 0;

    REQUIRE(file >= 3 && copy > file && write(file, "abcdef", 6) == 6);
    printf("next numbers in order: %d\n", copy == file + 1);
    REQUIRE(lseek(copy, 2, SEEK_SET) == 2 && read(file, &c, 1) == 1);
    printf("shared offset: %c\n", c);
    printf("dup2 to 50: %s\n", outcome(dup2(file, 50)));
    printf("dup2 to itself: %s\n", outcome(dup2(50, 50)));
    printf("dup3 to itself: %s\n", outcome(dup3(50, 50, 0)));
    printf("dup3: %s, flags %d\n", outcome(dup3(file, 51, O_CLOEXEC)), fcntl(51, F_GETFD));
    printf("duplicate at least 60: %s\n", outcome(fcntl(file, F_DUPFD, 60)));
    printf("duplicate at least 60: %s\n", outcome(fcntl(file, F_DUPFD_CLOEXEC, 60)));
    printf("flags %d %d\n", fcntl(60, F_GETFD), fcntl(61, F_GETFD));
    REQUIRE(fcntl(60, F_SETFD, FD_CLOEXEC) == 0);
    printf("flags %d\n", fcntl(60, F_GETFD));
    printf("access mode %d\n", fcntl(file, F_GETFL) & O_ACCMODE);
    REQUIRE(fcntl(file, F_SETFL, O_APPEND | O_NONBLOCK) == 0);
    printf("set: append %d, no waiting %d\n", (fcntl(copy, F_GETFL) & O_APPEND) != 0,
           (fcntl(copy, F_GETFL) & O_NONBLOCK) != 0);
    REQUIRE(lseek(file, 0, SEEK_SET) == 0 && write(file, "!", 1) == 1);
    printf("appended at %ld\n", (long)lseek(copy, 0, SEEK_CUR) - 1);
    printf("closed: %s", outcome(close(copy)));
    printf(" %s\n", outcome(write(copy, "x", 1)));
    printf("lowest again: %d\n", dup(file) == copy);
    printf("bad: %s", outcome(dup(-1)));
    printf(" %s", outcome(dup2(file, -1)));
    printf(" %s\n", outcome(fcntl(999, F_GETFD)));
    limit.rlim_cur = 70;
    limit.rlim_max = 70;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    while ((copy = dup(file)) >= 0) {
        opened++;
        REQUIRE(copy < 70);
    }
    printf("ran out: %s, some opened: %d\n", error_name(errno), opened > 30);
    return 0;
}
