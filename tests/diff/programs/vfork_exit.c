/* Shows vfork: the parent goes on after the child has ended, with the child's status. */
#include "common.h"
#include <sys/wait.h>

__attribute__((noinline)) static int status_of_child(int wanted)
{
    int status = 0;
    pid_t child = vfork();

    if (child == 0) {
        _exit(wanted);
    }
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

int main(void)
{
    int total = 0;

    for (int i = 0; i < 10; i++) {
        total += status_of_child(i * 3);
    }
    printf("statuses %d\n", total);
    return 0;
}
