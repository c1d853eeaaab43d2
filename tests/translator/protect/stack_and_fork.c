/* Shows code on the stack, written anew in the same place by each call, and code that a child and its parent change
 * after a fork, each for itself. */
#include "silent.h"
#include <sys/wait.h>

#define ROUNDS 100

static char *page;

/* The stack is made executable by the caller. */
__attribute__((noinline)) static long call_on_stack(unsigned value)
{
    char code[64] __attribute__((aligned(8)));
    volatile long beside = value;

    write_function(code, value);
    say_it();
    return call(code) + beside;
}

static void show_stack(void)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0) & -(uintptr_t)PAGE;
    unsigned wrong = 0;

    REQUIRE(mprotect((void *)(here - PAGE), 2 * PAGE, ALL) == 0);
    for (unsigned i = 0; i < 10 * ROUNDS; i++) {
        wrong += call_on_stack(i) != 2 * (long)i;
    }
    printf("stack: wrong %u\n", wrong);
}

static unsigned change(unsigned factor)
{
    unsigned wrong = call(page) != 5;

    for (unsigned i = 0; i < ROUNDS; i++) {
        write_function(page, i * factor);
        say_it();
        wrong += call(page) != i * factor;
    }
    return wrong;
}

static void show_fork(void)
{
    int status = -1;

    page = map_pages(1);
    write_function(page, 5);
    say_it();
    REQUIRE(call(page) == 5);
    const pid_t child = fork();
    if (child == 0) {
        _exit(change(7) != 0);
    }
    const unsigned wrong = change(3);
    REQUIRE(waitpid(child, &status, 0) == child);
    printf("fork: parent wrong %u, child %d\n", wrong, status);
}

int main(void)
{
    show_stack();
    show_fork();
    return 0;
}
