/* Shows that vfork's child works in its parent's memory while the parent waits.
 * qemu-riscv64 makes vfork a fork, so nothing is shared there and posix_spawn, which reports a
 * failed execution through that memory, cannot fail; hence .expected. */
#include "common.h"
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static volatile int shared;

__attribute__((noinline)) static int change_in_child(void)
{
    int status = 0;
    pid_t child = vfork();

    if (child == 0) {
        for (int i = 0; i < 1000; i++) {
            shared++;
        }
        _exit(2);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    return WEXITSTATUS(status);
}

int main(void)
{
    char *arguments[] = {(char *)"none", NULL};
    pid_t child = 0;

    printf("status %d", change_in_child());
    printf(", shared %d\n", shared);
    printf("missing: %s\n",
           error_name(posix_spawn(&child, "none", NULL, NULL, arguments, environ)));
    return 0;
}
