/* Shows mprotect: every allowed and forbidden access, counted by a handler that skips them. */
#include "common.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

static sigjmp_buf back;
static volatile int faults;

static void skip(int number)
{
    (void)number;
    faults++;
    siglongjmp(back, 1);
}

static char try_access(char *page, int protection)
{
    char seen[3] = "--";

    REQUIRE(mprotect(page, 4096, protection) == 0);
    if (sigsetjmp(back, 1) == 0) {
        (void)*(volatile char *)page;
        seen[0] = 'r';
    }
    if (sigsetjmp(back, 1) == 0) {
        *(volatile char *)(page + 4095) = 1;
        seen[1] = 'w';
    }
    printf("%d%d%d: %s\n", (protection & PROT_READ) != 0, (protection & PROT_WRITE) != 0,
           (protection & PROT_EXEC) != 0, seen);
    return seen[0];
}

int main(void)
{
    char *pages = mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(pages != MAP_FAILED && signal(SIGSEGV, skip) != SIG_ERR);
    try_access(pages + 4096, PROT_NONE);
    try_access(pages + 4096, PROT_READ);
    try_access(pages + 4096, PROT_READ | PROT_WRITE);
    try_access(pages + 4096, PROT_READ | PROT_EXEC);
    try_access(pages + 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
    try_access(pages + 4096, PROT_NONE);
    printf("faults %d\n", faults);
    printf("unaligned %s\n", outcome(mprotect(pages + 1, 4096, PROT_READ)));
    printf("bad bits %s\n", outcome(mprotect(pages, 4096, 0x80)));
    REQUIRE(munmap(pages, 4096) == 0);
    printf("unmapped %s\n", outcome(mprotect(pages, 4096, PROT_READ)));
    return 0;
}
