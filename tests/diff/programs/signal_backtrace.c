/* Shows that an unwinder sees through a signal handler to what was interrupted, by a fault and by a
 * call, from the ordinary and from the alternate stack. */
#include "common.h"
#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unwind.h>

static char area[65536] __attribute__((aligned(16)));
static char *closed;
static volatile uintptr_t outer_end, middle_end;
static volatile uintptr_t pc_seen;

struct walk {
    int frames;
    int found;
    int interrupted; /* frames whose pc is that of an instruction that was interrupted */
};

/* The pc of an interrupted frame is not behind a call. */
static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *data)
{
    struct walk *walk = data;
    int before = 0;
    const uintptr_t pc = _Unwind_GetIPInfo(context, &before);

    walk->frames++;
    if (before) {
        walk->interrupted += pc == pc_seen;
    }
    walk->found += pc == outer_end || pc == middle_end;
    return walk->frames < 40 ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

static void handle(int number, siginfo_t *info, void *context)
{
    mcontext_t *saved = &((ucontext_t *)context)->uc_mcontext;
    void *addresses[40];
    struct walk walk = {0, 0, 0};
    int count = 0;
    int found = 0;

    (void)info;
    pc_seen = saved->__gregs[REG_PC];
    _Unwind_Backtrace(look, &walk);
    count = backtrace(addresses, 40);
    for (int i = 0; i < count; i++) {
        found += (uintptr_t)addresses[i] == outer_end || (uintptr_t)addresses[i] == middle_end;
    }
    printf("signal %d: interrupted %d, callers %d, backtrace has callers %d, as long %d\n", number,
           walk.interrupted, walk.found, found, count > 3);
    if (number == SIGSEGV) {
        REQUIRE(mprotect(closed, 4096, PROT_READ | PROT_WRITE) == 0);
    }
}

static const uint32_t *volatile trampoline;

/* What a handler returns to is known by its two instructions. */
static void look_at_return(int number)
{
    (void)number;
    trampoline = __builtin_return_address(0);
}

__attribute__((noinline)) static void inner(int number)
{
    middle_end = (uintptr_t)__builtin_return_address(0);
    if (number == SIGSEGV) {
        *(volatile int *)closed = 7;
    } else {
        kill(getpid(), number);
    }
    __asm__ volatile("");
}

__attribute__((noinline)) static void middle(int number)
{
    outer_end = (uintptr_t)__builtin_return_address(0);
    inner(number);
    __asm__ volatile("");
}

static void install(int flags)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | flags};

    REQUIRE(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
}

int main(void)
{
    stack_t stack = {.ss_sp = area, .ss_size = sizeof(area)};

    closed = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(closed != MAP_FAILED && sigaltstack(&stack, NULL) == 0);
    for (int round = 0; round < 2; round++) {
        install(round == 0 ? 0 : SA_ONSTACK);
        REQUIRE(mprotect(closed, 4096, PROT_NONE) == 0);
        middle(SIGSEGV);
        middle(SIGUSR1);
    }
    REQUIRE(signal(SIGUSR2, look_at_return) != SIG_ERR && raise(SIGUSR2) == 0);
    printf("return %08x %08x\n", trampoline[0], trampoline[1]);
    return 0;
}
