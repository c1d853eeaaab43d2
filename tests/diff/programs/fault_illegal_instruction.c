/* Shows illegal instructions and breakpoints: signal, code, address; the handler steps over
 * them. */
#include "common.h"
#include <signal.h>
#include <ucontext.h>

static volatile int counts[32];
static volatile int wrong;

static void skip(int number, siginfo_t *info, void *context)
{
    ucontext_t *saved = context;
    uintptr_t pc = saved->uc_mcontext.__gregs[REG_PC];

    counts[number]++;
    wrong += (uintptr_t)info->si_addr != pc;
    printf("signal %d, code %d\n", number, info->si_code);
    saved->uc_mcontext.__gregs[REG_PC] = pc + ((*(uint16_t *)pc & 3) == 3 ? 4 : 2);
    saved->uc_mcontext.__gregs[REG_A0] += 5;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = skip, .sa_flags = SA_SIGINFO};
    long result = 0;

    REQUIRE(sigaction(SIGILL, &action, NULL) == 0 && sigaction(SIGTRAP, &action, NULL) == 0);
    __asm__ volatile("li a0, 100\n"
                     ".balign 4\n"
                     ".half 0\n"
                     ".half 0\n"
                     ".word 0xffffffff\n"
                     ".option push\n"
                     ".option norvc\n"
                     "ebreak\n"
                     ".option pop\n"
                     "c.ebreak\n"
                     ".word 0x0000007f\n"
                     "mv %0, a0\n"
                     : "=r"(result)
                     :
                     : "a0", "memory");
    printf("illegal %d, breakpoints %d, wrong addresses %d, register %ld\n", counts[SIGILL],
           counts[SIGTRAP], wrong, result);
    return 0;
}
