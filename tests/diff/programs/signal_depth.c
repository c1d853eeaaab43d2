/* Shows handlers inside handlers fifty deep, each with its own values in integer and floating-point
 * registers, which it still has when the inner ones have returned. */
#include "common.h"
#include <signal.h>
#include <ucontext.h>

#define DEPTH 50

static volatile int depth;
static volatile int deepest;
static volatile int wrong;
static volatile uint64_t sum;

static void nest(int number, siginfo_t *info, void *context);

/* Raises a signal with registers that depend on the depth, and looks at them afterwards. */
static void raise_with_values(int number)
{
    const int level = depth;
    uint64_t s2 = 0, t3 = 0, f8 = 0, f0 = 0;
    uint64_t control = 0;
    register long a0 __asm__("a0") = getpid();
    register long a1 __asm__("a1") = number;
    register long a7 __asm__("a7") = 129; /* kill */

    __asm__ volatile(
        "addi s2, %[level], 1000\n"
        "addi t3, %[level], 2000\n"
        "fcvt.d.l fs0, s2\n"
        "fcvt.d.l ft0, t3\n"
        "andi t4, %[level], 31\n"
        "fscsr t4\n"
        "ecall\n"
        "mv %[s2], s2\n"
        "mv %[t3], t3\n"
        "frcsr %[control]\n"
        "fcvt.l.d %[f8], fs0\n"
        "fcvt.l.d %[f0], ft0\n"
        "fscsr zero\n"
        : [s2] "=&r"(s2), [t3] "=&r"(t3), [f8] "=&r"(f8), [f0] "=&r"(f0), [control] "=&r"(control),
          "+r"(a0)
        : [level] "r"((long)level), "r"(a1), "r"(a7)
        : "s2", "t3", "t4", "fs0", "ft0", "memory");
    wrong += a0 != 0 || s2 != (uint64_t)level + 1000 || t3 != (uint64_t)level + 2000;
    wrong += f8 != (uint64_t)level + 1000 || f0 != (uint64_t)level + 2000;
    wrong += control != ((uint64_t)level & 31);
    sum = sum * 3 + s2 + f0 + control;
}

static void nest(int number, siginfo_t *info, void *context)
{
    const mcontext_t *saved = &((const ucontext_t *)context)->uc_mcontext;

    depth++;
    deepest = depth > deepest ? depth : deepest;
    wrong += info->si_signo != number;
    wrong += saved->__gregs[18] != (uint64_t)depth - 1 + 1000;
    wrong += (saved->__fpregs.__d.__fcsr & 31) != (((uint64_t)depth - 1) & 31);
    if (depth < DEPTH) {
        raise_with_values(number == SIGUSR1 ? SIGUSR2 : SIGUSR1);
    }
    depth--;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = nest, .sa_flags = SA_SIGINFO | SA_NODEFER};

    REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGUSR2, &action, NULL) == 0);
    for (int round = 0; round < 20; round++) {
        raise_with_values(SIGUSR1);
    }
    printf("deepest %d, now %d, wrong %d, sum %016lx\n", deepest, depth, wrong, sum);
    return 0;
}
