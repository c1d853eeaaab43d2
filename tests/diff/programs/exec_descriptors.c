/* Shows which descriptors a program has after execve, from 3 up to the limit, and closing all of them. */
#include "common.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define LIMIT 200

static void show_open(const char *what)
{
    printf("%s:", what);
    for (int fd = 3; fd < LIMIT; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) {
            printf(" %d", fd);
        }
    }
    printf("\n");
}

static void open_some(void)
{
    int file = open("/dev/null", O_RDONLY);

    REQUIRE(file == 3 && dup2(file, 10) == 10 && dup2(file, LIMIT - 1) == LIMIT - 1);
    REQUIRE(dup3(file, 20, O_CLOEXEC) == 20 && dup3(file, LIMIT - 2, O_CLOEXEC) == LIMIT - 2);
    REQUIRE(fcntl(file, F_DUPFD, 100) == 100 && fcntl(file, F_DUPFD_CLOEXEC, 100) == 101);
}

/* As programs do it before they execute another. */
static void close_each(void)
{
    for (int fd = 3; fd < LIMIT; fd++) {
        close(fd);
    }
}

int main(int argc, char **argv)
{
    struct rlimit limit = {LIMIT, LIMIT};
    char *arguments[] = {argv[0], (char *)"again", NULL};
    const char *file = NULL;

    if (argc > 1) {
        show_open("after execve");
        REQUIRE(syscall(SYS_close_range, 4, 10, 0) == 0);
        show_open("from 4 to 10 closed");
        printf("backwards: %s\n", outcome(syscall(SYS_close_range, 10, 4, 0)));
        REQUIRE(syscall(SYS_close_range, 3, ~0U, 0) == 0);
        show_open("all closed");
        REQUIRE(open("/dev/null", O_RDONLY) == 3);
        return 0;
    }
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    show_open("at first");
    open_some();
    show_open("opened");
    close_each();
    show_open("closed");
    open_some();
    printf("above the limit: %s\n", outcome(dup2(3, LIMIT)));
    fflush(stdout);
    char **words = exec_arguments(argv[0], arguments, &file);
    execv(file, words);
    return 98;
}
