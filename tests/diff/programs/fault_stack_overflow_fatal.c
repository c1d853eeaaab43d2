/* Shows a stack overflow that nobody catches: the process dies of SIGSEGV. */
#include "common.h"

static volatile uint64_t no_limit = UINT64_MAX;

__attribute__((noinline)) static uint64_t descend(uint64_t depth)
{
    volatile char frame[1024];

    frame[depth % 1024] = (char)depth;
    if (depth == no_limit) {
        return 0;
    }
    return descend(depth + 1) + (unsigned char)frame[depth % 1024];
}

int main(void)
{
    printf("going down\n");
    fflush(stdout);
    printf("came back %lu\n", descend(0));
    return 0;
}
