/* Shows scripts that are executed, nested and with an argument, and the shell's ways: system, popen. */
#include "common.h"
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void make(const char *path, const char *text)
{
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0700);

    REQUIRE(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    REQUIRE(close(file) == 0);
}

static void run(const char *path)
{
    char *words[] = {(char *)"never seen", (char *)"two words", (char *)"", (char *)"*", NULL};
    char *variables[] = {(char *)"GIVEN=yes", NULL};
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        execve(path, words, variables);
        printf("%s: %s\n", path, error_name(errno));
        fflush(stdout);
        _exit(98);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    printf("%s ended with %d\n", path, WEXITSTATUS(status));
    fflush(stdout);
}

int main(void)
{
    char line[64] = "";
    char *words[] = {(char *)"sh", (char *)"-c", (char *)"echo spawned; exit 5", NULL};
    pid_t child = 0;
    int status = 0;

    make("plain.sh", "#!/bin/sh\necho \"$0\" $# \"[$1] [$2] [$3] $GIVEN\"\nexit 7\n");
    make("argument.sh", "#! /bin/sh -e \necho here\nfalse\necho never\n");
    make("nested.sh", "#!./plain.sh with its own\n");
    make("deep.sh", "#!./nested.sh\n");
    make("unended.sh", "#!/bin/sh");
    run("./plain.sh");
    run("./argument.sh");
    run("./nested.sh");
    run("./deep.sh");
    run("./unended.sh");
    status = system("echo from the shell; exit 4");
    printf("system: %d\n", WEXITSTATUS(status));
    FILE *pipe = popen("cat; echo to the pipe", "r");
    REQUIRE(pipe != NULL && fgets(line, sizeof(line), pipe) != NULL);
    printf("popen: %s", line);
    printf("pclose: %d\n", WEXITSTATUS(pclose(pipe)));
    fflush(stdout);
    REQUIRE(posix_spawn(&child, "/bin/sh", NULL, NULL, words, NULL) == 0);
    REQUIRE(waitpid(child, &status, 0) == child);
    printf("posix_spawn: %d\n", WEXITSTATUS(status));
    return 0;
}
