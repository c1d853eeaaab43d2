/* Shows each kind of fault with its signal, code and address: read, write, execute, end of file. */
#include "common.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

static sigjmp_buf back;
static volatile int number_seen;
static volatile int code_seen;
static volatile uintptr_t address_seen;
static volatile uintptr_t pc_seen;

static void note(int number, siginfo_t *info, void *context)
{
    number_seen = number;
    code_seen = info->si_code;
    address_seen = (uintptr_t)info->si_addr;
    pc_seen = ((ucontext_t *)context)->uc_mcontext.__gregs[REG_PC];
    siglongjmp(back, 1);
}

static void show(const char *what, const void *wanted)
{
    printf("%s: signal %d, code %d, address right %d, pc at the address %d\n", what, number_seen,
           code_seen, address_seen == (uintptr_t)wanted, pc_seen == address_seen);
}

static void try_read(const char *what, const void *address)
{
    if (sigsetjmp(back, 1) == 0) {
        printf("%d", *(const volatile char *)address);
    }
    show(what, address);
}

static void try_write(const char *what, void *address)
{
    if (sigsetjmp(back, 1) == 0) {
        *(volatile uint32_t *)address = 1;
    }
    show(what, address);
}

static void try_call(const char *what, void *address)
{
    if (sigsetjmp(back, 1) == 0) {
        ((void (*)(void))address)();
    }
    show(what, address);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
    int kind = MAP_PRIVATE | MAP_ANONYMOUS;
    char *hole = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, kind, -1, 0);
    char *none = mmap(NULL, 4096, PROT_NONE, kind, -1, 0);
    char *read_only = mmap(NULL, 4096, PROT_READ, kind, -1, 0);
    int file = open("data", O_CREAT | O_RDWR, 0600);
    char *past = NULL;

    REQUIRE(hole != MAP_FAILED && none != MAP_FAILED && read_only != MAP_FAILED && file >= 0);
    REQUIRE(munmap(hole + 4096, 4096) == 0 && ftruncate(file, 100) == 0);
    past = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    REQUIRE(past != MAP_FAILED);
    REQUIRE(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGBUS, &action, NULL) == 0);
    try_read("read of nothing", (void *)8);
    try_write("write of nothing", (void *)16);
    try_call("call of nothing", (void *)32);
    try_read("read of a hole", hole + 4096 + 123);
    try_write("write of a hole", hole + 2 * 4096 - 4);
    try_call("call of a hole", hole + 4096 + 64);
    try_read("read of a closed page", none + 7);
    try_write("write of a closed page", none + 1000);
    try_write("write of a read-only page", read_only + 2000);
    try_call("call of a read-only page", read_only + 8);
    try_call("call of data", hole + 16);
    try_read("read past the end of a file", past + 5000);
    try_write("write past the end of a file", past + 4096);
    printf("within the file's page: %d\n", past[4095]);
    try_read("read of a high address", (void *)(1ul << 45));
    return 0;
}
