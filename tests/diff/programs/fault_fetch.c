/* Shows what a program gets that goes on where it cannot: signal, code, address and pc of each fault, or,
 * with a kind as argument, how it dies of one. */
#include "common.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#define PAGE 4096

static sigjmp_buf back;
static struct {
    int number, code;
    uintptr_t address, pc;
} seen;

static unsigned char *code; /* an executable page, and nothing behind it */
static uintptr_t data[4] __attribute__((aligned(16))) = {0x8082}; /* ret */

static void note(int number, siginfo_t *info, void *context)
{
    const unsigned long *registers = ((ucontext_t *)context)->uc_mcontext.__gregs;

    seen.number = number;
    seen.code = info->si_code;
    seen.address = (uintptr_t)info->si_addr;
    seen.pc = registers[REG_PC];
    siglongjmp(back, 1);
}

static void put(size_t offset, uint32_t bits, size_t bytes)
{
    memcpy(code + offset, &bits, bytes);
    __builtin___clear_cache((char *)code, (char *)code + PAGE);
}

/* Where to go for each kind, and the address to which the others are told. */
static uintptr_t prepare(const char *kind, uintptr_t *base)
{
    uint16_t on_stack[] = {0x8082};

    *base = (uintptr_t)code;
    if (strcmp(kind, "nothing") == 0) {
        *base = 0;
        return 0;
    }
    if (strcmp(kind, "low") == 0) {
        *base = 0;
        return 0x1006;
    }
    if (strcmp(kind, "high") == 0) {
        *base = 0;
        return UINT64_C(1) << 63;
    }
    if (strcmp(kind, "behind") == 0) {
        return *base + PAGE;
    }
    if (strcmp(kind, "odd behind") == 0) {
        return *base + PAGE + 1;
    }
    if (strcmp(kind, "data") == 0) {
        *base = (uintptr_t)data;
        return *base;
    }
    if (strcmp(kind, "odd data") == 0) {
        *base = (uintptr_t)data;
        return *base + 1;
    }
    if (strcmp(kind, "stack") == 0) {
        __asm__ volatile("" : : "r"(on_stack) : "memory");
        *base = (uintptr_t)on_stack;
        return *base;
    }
    if (strcmp(kind, "end") == 0) { /* runs off the end of its mapping */
        put(PAGE - 8, 0x00000013, 4);
        put(PAGE - 4, 0x00000013, 4);
        return *base + PAGE - 8;
    }
    if (strcmp(kind, "half") == 0) { /* the second half of an instruction is not there */
        put(PAGE - 6, 0x00000013, 4);
        put(PAGE - 2, 0x0013, 2);
        return *base + PAGE - 6;
    }
    if (strcmp(kind, "branch behind") == 0) {
        put(PAGE - 4, 0x00000463, 4); /* beq zero, zero, 8 */
        return *base + PAGE - 4;
    }
    if (strcmp(kind, "jump behind") == 0) {
        put(PAGE - 4, 0x0100006f, 4); /* j 16 */
        return *base + PAGE - 4;
    }
    put(0, 0x00000013, 4);
    if (strcmp(kind, "illegal") == 0) {
        put(4, 0xffffffff, 4);
    } else if (strcmp(kind, "short illegal") == 0) {
        put(4, 0x0000, 2);
    } else if (strcmp(kind, "break") == 0) {
        put(4, 0x00100073, 4);
    } else if (strcmp(kind, "short break") == 0) {
        put(4, 0x9002, 2);
    } else if (strcmp(kind, "odd illegal") == 0) {
        put(4, 0x0000, 2);
        return *base + 1;
    } else {
        REQUIRE(!"a kind");
    }
    return *base;
}

static void go(uintptr_t where)
{
    ((void (*)(void))where)();
}

static void show(const char *kind)
{
    uintptr_t base;
    const uintptr_t where = prepare(kind, &base);

    memset(&seen, 0, sizeof(seen));
    if (sigsetjmp(back, 1) == 0) {
        go(where);
    }
    printf("%s: signal %d, code %d, address %ld, pc %ld\n", kind, seen.number, seen.code,
           (long)(seen.address - base), (long)(seen.pc - base));
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {
        "nothing",  "low",           "high",  "behind",      "odd behind",    "data",
        "odd data", "stack",         "end",   "half",        "branch behind", "jump behind",
        "illegal",  "short illegal", "break", "short break", "odd illegal"};
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
    uintptr_t base;

    code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                0);
    REQUIRE(code != MAP_FAILED && munmap(code + PAGE, PAGE) == 0);
    if (argc > 1) {
        printf("before %s\n", argv[1]);
        fflush(stdout);
        go(prepare(argv[1], &base));
        printf("still alive\n");
        return 0;
    }
    for (int number = SIGILL; number <= SIGSEGV; number++) {
        if (number != SIGKILL) {
            REQUIRE(sigaction(number, &action, NULL) == 0);
        }
    }
    for (int round = 0; round < 2; round++) { /* known code, too */
        for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
            show(kinds[i]);
        }
    }
    return 0;
}
