/* Shows accesses over a page's end into a closed page: the fault is in the second page, nothing
 * is lost. */
#include "common.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

static sigjmp_buf back;
static volatile long page_of_fault;
static char *area;

static void note(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    page_of_fault = ((char *)info->si_addr - area) / 4096;
    siglongjmp(back, 1);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
    volatile int faults = 0;

    area = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(area != MAP_FAILED && sigaction(SIGSEGV, &action, NULL) == 0);
    memset(area, 'a', 4096);
    REQUIRE(mprotect(area + 4096, 4096, PROT_NONE) == 0);
    for (volatile int offset = 4088; offset < 4096; offset++) {
        if (sigsetjmp(back, 1) == 0) {
            uint64_t value = 0;

            __asm__ volatile("ld %0, 0(%1)" : "=r"(value) : "r"(area + offset));
            printf("offset %d: read %016lx\n", offset, value);
        } else {
            faults++;
            printf("offset %d: fault in page %ld\n", offset, page_of_fault);
        }
    }
    if (sigsetjmp(back, 1) == 0) {
        memset(area + 4000, 'b', 200);
    }
    printf("partial fill: %d of 96, faults %d\n", area[4000] == 'b', faults);
    return 0;
}
