/* Shows that a handler's changes to saved registers, integer and floating, take effect on
 * return. */
#include "common.h"
#include <signal.h>
#include <ucontext.h>

static volatile uint64_t seen_integer;
static volatile uint64_t seen_double;
static volatile uint64_t seen_control;

static void change(int number, siginfo_t *info, void *context)
{
    mcontext_t *saved = &((ucontext_t *)context)->uc_mcontext;

    (void)number;
    (void)info;
    seen_integer = saved->__gregs[18];
    seen_double = saved->__fpregs.__d.__f[18];
    seen_control = saved->__fpregs.__d.__fcsr;
    saved->__gregs[18] = 0x1234;
    saved->__fpregs.__d.__f[18] = 0x400921fb54442d18;
    saved->__fpregs.__d.__fcsr = 0x41;
    saved->__gregs[REG_PC] += 2;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = change, .sa_flags = SA_SIGINFO};
    uint64_t integer = 0;
    double number = 0;
    uint64_t control = 0;

    REQUIRE(sigaction(SIGTRAP, &action, NULL) == 0);
    __asm__ volatile("li s2, 0x777\n"
                     "fcvt.d.l fs2, s2\n"
                     "fsflagsi 0x10\n"
                     "c.ebreak\n"
                     "mv %0, s2\n"
                     "fmv.d %1, fs2\n"
                     "frcsr %2\n"
                     "fscsr zero\n"
                     : "=r"(integer), "=f"(number), "=r"(control)
                     :
                     : "s2", "fs2", "memory");
    printf("handler saw %lx, %016lx, control %lx\n", seen_integer, seen_double, seen_control);
    printf("program sees %lx, %.15f, control %lx\n", integer, number, control);
    return 0;
}
