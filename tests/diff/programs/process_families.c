/* Shows zombies, orphans, process groups and sessions by their relations. */
#include "common.h"
#include <signal.h>
#include <sys/wait.h>

int main(void)
{
    int ends[2];
    int status = 0;
    int fact = 0;
    pid_t child = 0;
    pid_t first = 0;

    setvbuf(stdout, NULL, _IOLBF, 0);
    REQUIRE(pipe(ends) == 0);
    child = fork();
    if (child == 0) {
        pid_t parent = getpid();

        if (fork() == 0) {
            while (getppid() == parent) {
                usleep(1000);
            }
            fact = getppid() != parent;
            REQUIRE(write(ends[1], &fact, sizeof(fact)) == sizeof(fact));
            _exit(0);
        }
        _exit(0);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(read(ends[0], &fact, sizeof(fact)) == sizeof(fact));
    printf("orphan got a new parent: %d\n", fact);
    child = fork();
    if (child == 0) {
        _exit(3);
    }
    usleep(20000);
    printf("a zombie can be signalled: %s\n", outcome(kill(child, 0)));
    REQUIRE(waitpid(child, &status, 0) == child);
    printf("a reaped one not: %s\n", outcome(kill(child, 0)));
    for (int i = 0; i < 3; i++) {
        child = fork();
        if (child == 0) {
            REQUIRE(setpgid(0, first) == 0);
            REQUIRE(write(ends[1], &fact, sizeof(fact)) == sizeof(fact));
            for (;;) {
                pause();
            }
        }
        first = first == 0 ? child : first;
        REQUIRE(read(ends[0], &fact, sizeof(fact)) == sizeof(fact));
        printf("joined group: %d\n", getpgid(child) == first);
    }
    printf("own group differs: %d\n", getpgrp() != first);
    REQUIRE(kill(-first, SIGTERM) == 0);
    for (int i = 0; i < 3; i++) {
        REQUIRE(waitpid(-first, &status, 0) > 0);
        printf("group member ended by %d\n", WTERMSIG(status));
    }
    if (fork() == 0) {
        pid_t session = setsid();

        printf("new session: %d %d %d\n", session == getpid(), getsid(0) == session,
               getpgrp() == session);
        printf("again: %s\n", outcome(setsid()));
        exit(0);
    }
    REQUIRE(wait(NULL) > 0);
    printf("no such process: %s\n", outcome(kill(0x3ffffff, SIGTERM)));
    printf("bad signal: %s\n", outcome(kill(getpid(), 1000)));
    return 0;
}
