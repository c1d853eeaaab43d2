/* Shows code that cannot be fetched, or only in part: behind the end of a file, on a page that may
 * only be executed, over the edge of a page that goes away; the faults' addresses are right. */
#include "common.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#define PAGE 4096

static sigjmp_buf back;
static volatile int number_seen;
static volatile int code_seen;
static volatile uintptr_t address_seen;
static volatile uintptr_t pc_seen;
static volatile long a0_seen;

static void note(int number, siginfo_t *info, void *context)
{
    const mcontext_t *saved = &((const ucontext_t *)context)->uc_mcontext;

    number_seen = number;
    code_seen = info->si_code;
    address_seen = (uintptr_t)info->si_addr;
    pc_seen = saved->__gregs[REG_PC];
    a0_seen = (long)saved->__gregs[REG_A0];
    siglongjmp(back, 1);
}

static void try_call(const char *what, const void *place, const void *wanted)
{
    volatile long result = -1;

    number_seen = code_seen = 0;
    a0_seen = -1;
    address_seen = pc_seen = 0;
    if (sigsetjmp(back, 1) == 0) {
        result = ((long (*)(long))(uintptr_t)place)(5);
    }
    printf("%s: result %ld, signal %d, code %d, a0 %ld, place right %d %d\n", what, result,
           number_seen, code_seen, a0_seen, address_seen == (uintptr_t)wanted,
           pc_seen == (uintptr_t)wanted);
}

#define ADD 0x0505    /* c.addi a0, 1 */
#define RETURN 0x8082 /* ret */

static void put(char *at, int count, uint16_t last)
{
    uint16_t *halves = (uint16_t *)(void *)at;

    for (int i = 0; i < count; i++) {
        halves[i] = ADD;
    }
    halves[count] = last;
}

static void behind_file(void)
{
    const int file = open("code", O_CREAT | O_RDWR | O_TRUNC, 0700);
    char *code = NULL;

    REQUIRE(file >= 0 && ftruncate(file, PAGE) == 0);
    code = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, file, 0);
    REQUIRE(code != MAP_FAILED);
    put(code + PAGE - 16, 7, ADD);
    put(code, 3, RETURN);
    put(code + PAGE - 40, 3, RETURN);
    for (int round = 0; round < 2; round++) {
        try_call("in the file", code, NULL);
        try_call("before its end", code + PAGE - 40, NULL);
        try_call("over its end", code + PAGE - 16, code + PAGE);
        try_call("behind its end", code + PAGE + 64, code + PAGE + 64);
    }
    REQUIRE(ftruncate(file, 2 * PAGE) == 0);
    put(code + PAGE, 2, RETURN);
    __builtin___clear_cache(code, code + 2 * PAGE);
    try_call("when it is longer", code + PAGE - 16, NULL);
    REQUIRE(munmap(code, 3 * PAGE) == 0 && close(file) == 0);
}

static void only_executed(void)
{
    char *code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(code != MAP_FAILED);
    put(code + PAGE - 16, 7, ADD);
    put(code + PAGE, 4, RETURN);
    REQUIRE(mprotect(code, 2 * PAGE, PROT_EXEC) == 0);
    try_call("only executed", code + PAGE - 16, NULL);
    REQUIRE(mprotect(code + PAGE, PAGE, PROT_NONE) == 0);
    try_call("and closed", code + PAGE - 16, code + PAGE);
    REQUIRE(mprotect(code + PAGE, PAGE, PROT_READ) == 0);
    try_call("and only read", code + PAGE - 16, code + PAGE);
    REQUIRE(mprotect(code + PAGE, PAGE, PROT_EXEC) == 0);
    try_call("open again", code + PAGE - 16, NULL);
    REQUIRE(munmap(code, 2 * PAGE) == 0);
}

/* The kernel does not deliver a blocked signal for what is never reached. */
static void all_blocked(void)
{
    const int file = open("code", O_CREAT | O_RDWR | O_TRUNC, 0700);
    char *code = NULL;
    sigset_t all;

    REQUIRE(file >= 0 && ftruncate(file, PAGE) == 0);
    code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, file, 0);
    REQUIRE(code != MAP_FAILED);
    put(code + PAGE - 16, 7, RETURN);
    sigfillset(&all);
    REQUIRE(sigprocmask(SIG_SETMASK, &all, NULL) == 0);
    try_call("with all signals blocked", code + PAGE - 16, NULL);
    put(code + PAGE - 64, 23, RETURN);
    __builtin___clear_cache(code, code + PAGE);
    try_call("again", code + PAGE - 64, NULL);
    sigemptyset(&all);
    REQUIRE(sigprocmask(SIG_SETMASK, &all, NULL) == 0);
    REQUIRE(munmap(code, 2 * PAGE) == 0 && close(file) == 0);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};

    REQUIRE(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGBUS, &action, NULL) == 0);
    REQUIRE(sigaction(SIGILL, &action, NULL) == 0);
    behind_file();
    only_executed();
    all_blocked();
    return 0;
}
