/* Shows code whose mapping is moved, shortened, closed and opened again, alone and while it is being
 * called: each fault has the right signal, code, address and pc, and can be repaired. */
#include "common.h"
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <ucontext.h>

#define PAGE 4096
#define ALL (PROT_READ | PROT_WRITE | PROT_EXEC)
#define KIND (MAP_PRIVATE | MAP_ANONYMOUS)

static sigjmp_buf back;
static struct {
    int number, code;
    uintptr_t address, pc;
    unsigned count;
} seen;
static uint32_t *opened; /* what the handler opens again, to go on */

static void note(int number, siginfo_t *info, void *context)
{
    seen.number = number;
    seen.code = info->si_code;
    seen.address = (uintptr_t)info->si_addr;
    seen.pc = ((ucontext_t *)context)->uc_mcontext.__gregs[REG_PC];
    seen.count++;
    if (opened != NULL) {
        REQUIRE(mprotect(opened, PAGE, PROT_READ | PROT_EXEC) == 0);
        return;
    }
    siglongjmp(back, 1);
}

static void write_function(uint32_t *code, unsigned value)
{
    code[0] = value << 20 | 10u << 7 | 0x13;
    code[1] = 0x00008067;
    __builtin___clear_cache((char *)code, (char *)(code + 2));
}

static void try_call(const char *what, const uint32_t *code)
{
    volatile long result = -1;

    memset(&seen, 0, sizeof(seen));
    if (sigsetjmp(back, 1) == 0) {
        result = ((long (*)(void))(uintptr_t)code)();
    }
    printf("%s: result %ld, signal %d, code %d", what, result, seen.number, seen.code);
    if (seen.number != 0) {
        printf(", address %ld, pc %ld", (long)(seen.address - (uintptr_t)code),
               (long)(seen.pc - (uintptr_t)code));
    }
    printf("\n");
}

static uint32_t *map_pages(size_t count)
{
    uint32_t *code = mmap(NULL, count * PAGE, ALL, KIND, -1, 0);

    REQUIRE(code != MAP_FAILED);
    return code;
}

static void show_moves(void)
{
    uint32_t *place = map_pages(8);
    uint32_t *first = place;
    uint32_t *second = place + 2 * PAGE / 4;

    write_function(first, 11);
    try_call("before", first);
    for (unsigned i = 0; i < 20; i++) {
        REQUIRE(mremap(first, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, second) == second);
        if (i % 10 == 0) {
            try_call("moved away", first);
        }
        try_call("moved here", second);
        write_function(second, 20 + i);
        try_call("written there", second);
        REQUIRE(mremap(second, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, first) == first);
        try_call("back", first);
        REQUIRE(mmap(second, PAGE, ALL, KIND | MAP_FIXED, -1, 0) == second);
        write_function(second, 40 + i);
        try_call("other code there", second);
    }
    /* A page that is moved over code, and one that is left behind by the end. */
    REQUIRE(mremap(first, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, second) == second);
    try_call("over other code", second);
    write_function(second + PAGE / 4, 60);
    try_call("the second page", second + PAGE / 4);
    REQUIRE(mremap(second, 2 * PAGE, PAGE, 0) == second);
    try_call("shortened", second);
    try_call("behind its end", second + PAGE / 4);
    REQUIRE(mremap(second, PAGE, 2 * PAGE, 0) == second);
    try_call("longer, and empty", second + PAGE / 4);
    REQUIRE(munmap(place, 8 * PAGE) == 0);
    try_call("gone", second);
}

static void show_closed(void)
{
    static const int protections[] = {PROT_READ, PROT_READ | PROT_WRITE, PROT_NONE, PROT_WRITE};
    uint32_t *code = map_pages(1);
    volatile long sum = 0;

    write_function(code, 80);
    for (size_t i = 0; i < sizeof(protections) / sizeof(protections[0]); i++) {
        try_call("open", code);
        REQUIRE(mprotect(code, PAGE, protections[i]) == 0);
        try_call("closed", code);
        try_call("still closed", code);
        REQUIRE(mprotect(code, PAGE, PROT_READ | PROT_EXEC) == 0);
    }
    memset(&seen, 0, sizeof(seen));
    opened = code;
    for (unsigned i = 0; i < 50; i++) {
        REQUIRE(mprotect(code, PAGE, PROT_READ) == 0);
        sum = sum + ((long (*)(void))code)();
    }
    opened = NULL;
    printf("opened by the handler: sum %ld, faults %u, code %d, right %d %d\n", sum, seen.count,
           seen.code, seen.address == (uintptr_t)code, seen.pc == (uintptr_t)code);
    REQUIRE(munmap(code, PAGE) == 0);
}

static uint32_t *caller;
static bool unmap;

static long close_caller(void)
{
    REQUIRE(unmap ? munmap(caller, PAGE) == 0 : mprotect(caller, PAGE, PROT_READ) == 0);
    return 5;
}

/* The caller is gone when its callee returns: the fault is at the return address. */
static void show_closed_under_call(void)
{
    const uint32_t words[] = {0xff010113, 0x00113023, 0x000500e7, 0x06450513,
                              0x00013083, 0x01010113, 0x00008067};

    for (volatile int i = 0; i < 6; i++) {
        volatile long result = -1;

        unmap = i >= 2 && i < 5;
        caller = map_pages(1);
        memcpy(caller, words, sizeof(words));
        __builtin___clear_cache((char *)caller, (char *)caller + PAGE);
        memset(&seen, 0, sizeof(seen));
        opened = i == 5 ? caller : NULL;
        if (sigsetjmp(back, 1) == 0) {
            result = ((long (*)(long (*)(void)))caller)(close_caller);
        }
        opened = NULL;
        printf("caller %s: result %ld, signal %d, code %d, address %ld, pc %ld\n",
               unmap ? "gone" : "closed", result, seen.number, seen.code,
               (long)(seen.address - (uintptr_t)caller), (long)(seen.pc - (uintptr_t)caller));
        if (!unmap) {
            REQUIRE(munmap(caller, PAGE) == 0);
        }
    }
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};

    REQUIRE(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGILL, &action, NULL) == 0);
    show_moves();
    show_closed();
    show_closed_under_call();
    return 0;
}
