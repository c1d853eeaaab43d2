/* Shows faults repaired by mprotect in the handler: the access is done again; address and code
 * right.  With an argument, in a process that has had a second thread. */
#include "common.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#define PAGE 4096
#define PAGES 64

static char *area;
static volatile int faults;
static volatile int wrong_address;
static volatile int wrong_code;
static char *volatile expected;

static void repair(int number, siginfo_t *info, void *context)
{
    char *page = (char *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1));

    (void)number;
    (void)context;
    faults++;
    wrong_address += info->si_addr != expected;
    wrong_code += info->si_code != SEGV_ACCERR;
    if (page < area || page >= area + PAGES * PAGE ||
        mprotect(page, PAGE, PROT_READ | PROT_WRITE)) {
        _exit(98);
    }
}

static void *do_nothing(void *argument)
{
    return argument;
}

int main(int count, char **arguments)
{
    (void)arguments;
    if (count > 1) {
        pthread_t thread;
        REQUIRE(pthread_create(&thread, NULL, do_nothing, NULL) == 0);
        REQUIRE(pthread_join(thread, NULL) == 0);
    }
    struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO};
    uint64_t sum = 0;

    area = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(area != MAP_FAILED && sigaction(SIGSEGV, &action, NULL) == 0);
    for (int i = 0; i < PAGES; i++) {
        expected = area + i * PAGE + i * 8;
        switch (i % 5) {
        case 0:
            *(volatile uint64_t *)expected = (uint64_t)i * 1000;
            break;
        case 1:
            sum += *(volatile uint8_t *)expected + 1u;
            break;
        case 2:
            *(volatile double *)expected = i * 0.5;
            break;
        case 3:
            sum += __atomic_fetch_add((uint32_t *)expected, 77, __ATOMIC_SEQ_CST);
            break;
        default:
            sum += (uint64_t) * (volatile float *)expected + 3;
            break;
        }
    }
    printf("faults %d, wrong addresses %d, wrong codes %d, sum %lu\n", faults, wrong_address,
           wrong_code, sum);
    printf("contents %016lx\n", checksum(CHECKSUM_START, area, PAGES * PAGE));
    return 0;
}
