/* Shows posix_spawn: file actions, attributes, statuses. */
#include "common.h"
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

int main(int argc, char **argv)
{
    char *arguments[] = {argv[0], (char *)"child", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t mask;
    const char *file = NULL;
    char **words = exec_arguments(argv[0], arguments, &file);
    char text[64] = "";
    pid_t child = 0;
    int status = 0;
    int opened = 0;

    if (argc > 1) {
        REQUIRE(sigprocmask(SIG_BLOCK, NULL, &mask) == 0);
        printf("spawned, masked %d, group leader %d\n", sigismember(&mask, SIGUSR1),
               getpgrp() == getpid());
        return 31;
    }
    REQUIRE(posix_spawn_file_actions_init(&actions) == 0 && posix_spawnattr_init(&attributes) == 0);
    REQUIRE(posix_spawn_file_actions_addopen(&actions, 1, "out", O_CREAT | O_WRONLY, 0600) == 0);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    REQUIRE(posix_spawnattr_setsigmask(&attributes, &mask) == 0);
    REQUIRE(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP) ==
            0);
    REQUIRE(posix_spawn(&child, file, &actions, &attributes, words, environ) == 0);
    REQUIRE(waitpid(child, &status, 0) == child);
    opened = open("out", O_RDONLY);
    REQUIRE(opened >= 0 && read(opened, text, sizeof(text)) > 0);
    printf("status %d, wrote: %s", WEXITSTATUS(status), text);
    return 0;
}
