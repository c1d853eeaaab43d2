/* Shows what exit does and _exit does not: handlers in reverse order, buffers written. */
#include "common.h"
#include <sys/wait.h>

static void say_first(void)
{
    printf("registered first\n");
}

static void say_second(void)
{
    printf("registered second\n");
    atexit(say_first);
}

static void say_status(int status, void *word)
{
    printf("status %d, word %s\n", status, (const char *)word);
}

__attribute__((destructor)) static void say_destructor(void)
{
    printf("destructor\n");
}

int main(void)
{
    int status = 0;

    setvbuf(stdout, NULL, _IOFBF, 4096);
    REQUIRE(atexit(say_first) == 0);
    REQUIRE(on_exit(say_status, (void *)"payload") == 0);
    REQUIRE(atexit(say_second) == 0);
    if (fork() == 0) {
        printf("lost: written by nobody\n");
        _exit(3);
    }
    REQUIRE(wait(&status) > 0);
    printf("child ended with %d\n", WEXITSTATUS(status));
    fflush(stdout);
    if (fork() == 0) {
        printf("child writes, ");
        exit(4);
    }
    REQUIRE(wait(&status) > 0);
    printf("child ended with %d\n", WEXITSTATUS(status));
    exit(5);
}
