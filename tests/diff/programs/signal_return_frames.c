/* Shows sigreturn by hand: frames that are no good are faults, and a good one sets every register.
 *
 * The program makes the call itself, with its stack pointer where it wants the frame to be. */
#include "common.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#define PAGE 4096
#define REGISTERS 32

struct frame {
    siginfo_t info;
    ucontext_t context;
};

static sigjmp_buf back;
static char alternate[65536] __attribute__((aligned(16)));
static volatile int number_seen;
static volatile int code_seen;

static void note(int number, siginfo_t *info, void *context)
{
    (void)context;
    number_seen = number;
    code_seen = info->si_code;
    siglongjmp(back, 1);
}

__attribute__((noreturn, noinline)) static void return_to(const void *frame)
{
    register uintptr_t place __asm__("a0") = (uintptr_t)frame;
    register long number __asm__("a7") = 139;

    __asm__ volatile("mv sp, %0\n"
                     "ecall\n"
                     "ebreak\n"
                     :
                     : "r"(place), "r"(number)
                     : "memory");
    __builtin_unreachable();
}

static void try_frame(const char *what, const void *frame)
{
    number_seen = 0;
    if (sigsetjmp(back, 1) == 0) {
        return_to(frame);
    }
    printf("%s: signal %d, code %d\n", what, number_seen, code_seen);
}

static struct frame copied __attribute__((aligned(16)));

static void copy_frame(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    copied.context = *(ucontext_t *)context;
}

uint64_t frames_seen[REGISTERS + 2];
extern const char frames_land[];

/* A place to return to: writes down what is in the registers.  The frame's tp has its address. */
__asm__(".option push\n"
        ".option norelax\n"
        ".text\n"
        ".globl frames_land\n"
        "frames_land:\n"
        ".irp number, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,"
        "23, 24, 25, 26, 27, 28, 29, 30, 31\n"
        "sd x\\number, (\\number * 8)(tp)\n"
        ".endr\n"
        "frcsr t0\n"
        "sd t0, 256(tp)\n"
        "fsd f7, 264(tp)\n"
        "fscsr zero\n"
        "mv sp, s11\n"
        "ld a0, 0(tp)\n"
        "mv tp, s10\n"
        "mv gp, s9\n"
        "mv ra, s8\n"
        "ret\n"
        ".option pop\n");

static volatile int landed;

static void finish(void)
{
    landed = 1;
    siglongjmp(back, 1);
}

static void set_all_registers(void)
{
    static struct frame frame __attribute__((aligned(16)));
    static unsigned long *const x = frame.context.uc_mcontext.__gregs;
    uintptr_t gp = 0;
    uintptr_t tp = 0;
    volatile unsigned wrong = 0;

    frame = copied;
    __asm__("mv %0, gp" : "=r"(gp));
    __asm__("mv %0, tp" : "=r"(tp));
    for (unsigned i = 1; i < REGISTERS; i++) {
        x[i] = 0x0101010101010101 * i + 7;
    }
    x[0] = (uintptr_t)frames_land;
    x[2] = (uintptr_t)(alternate + 30000);
    x[4] = (uintptr_t)frames_seen;
    x[24] = (uintptr_t)finish;
    x[25] = gp;
    x[26] = tp;
    x[27] = (uintptr_t)(alternate + 20000);
    frame.context.uc_mcontext.__fpregs.__d.__f[7] = 0x3ff8000000000000;
    frame.context.uc_mcontext.__fpregs.__d.__fcsr = 0x65;
    if (sigsetjmp(back, 1) == 0) {
        return_to(&frame);
    }
    for (unsigned i = 1; i < REGISTERS; i++) {
        wrong = wrong + (i != 4 && frames_seen[i] != x[i]);
    }
    printf("landed %d, wrong registers %u, control %lx, float %lx\n", landed, wrong,
           frames_seen[32], frames_seen[33]);
}

static void blocked_by_frame(void)
{
    static struct frame frame __attribute__((aligned(16)));
    sigset_t mask;

    landed = 0;
    frame = copied;
    frame.context.uc_mcontext.__gregs[0] = (uintptr_t)finish;
    sigaddset(&frame.context.uc_sigmask, SIGUSR2);
    if (sigsetjmp(back, 0) == 0) {
        return_to(&frame);
    }
    REQUIRE(sigprocmask(SIG_SETMASK, NULL, &mask) == 0);
    printf("landed %d, blocked %d\n", landed, sigismember(&mask, SIGUSR2));
    sigemptyset(&mask);
    REQUIRE(sigprocmask(SIG_SETMASK, &mask, NULL) == 0);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction copying = {.sa_sigaction = copy_frame, .sa_flags = SA_SIGINFO};
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};
    char *pages = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(pages != MAP_FAILED && munmap(pages + PAGE, PAGE) == 0);
    REQUIRE(mprotect(pages + 2 * PAGE, PAGE, PROT_NONE) == 0);
    REQUIRE(sigaltstack(&stack, NULL) == 0);
    REQUIRE(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGTRAP, &action, NULL) == 0);
    for (int round = 0; round < 3; round++) {
        try_frame("nothing", (void *)16);
        try_frame("a hole", pages + PAGE + 512);
        try_frame("into a hole", pages + PAGE - 512);
        try_frame("a closed page", pages + 2 * PAGE);
        try_frame("no address", (void *)(1ul << 52));
    }
    REQUIRE(sigaction(SIGUSR1, &copying, NULL) == 0 && raise(SIGUSR1) == 0);
    REQUIRE(sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL) == 0);
    copied.context.uc_stack.ss_flags = SS_DISABLE;
    set_all_registers();
    blocked_by_frame();
    return 0;
}
