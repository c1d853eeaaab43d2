/* Shows instructions at awkward places: over a page's end, on two-byte boundaries, faults in the
 * second half. */
#include "common.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

static sigjmp_buf back;
static volatile uintptr_t fault_address;

static void note(int number, siginfo_t *info, void *context)
{
    (void)context;
    fault_address = (uintptr_t)info->si_addr;
    siglongjmp(back, number);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
    unsigned char *code =
        mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    /* c.addi a0,1 ; addi a0,a0,100 ; c.slli a0,1 ; c.jr ra */
    static const unsigned char body[] = {0x05, 0x05, 0x13, 0x05, 0x45,
                                         0x06, 0x06, 0x05, 0x82, 0x80};

    REQUIRE(code != MAP_FAILED && sigaction(SIGSEGV, &action, NULL) == 0);
    for (size_t offset = 4080; offset <= 4100; offset += 2) {
        memset(code + 4000, 0, 200);
        memcpy(code + offset, body, sizeof(body));
        __builtin___clear_cache((char *)code, (char *)code + 8192);
        printf("at %zu: %ld %ld\n", offset, ((long (*)(long))(code + offset))(1),
               ((long (*)(long))(code + offset + 2))(1));
    }
    memcpy(code + 4092, body, sizeof(body));
    __builtin___clear_cache((char *)code, (char *)code + 8192);
    REQUIRE(mprotect(code + 4096, 4096, PROT_NONE) == 0);
    if (sigsetjmp(back, 1) == 0) {
        printf("returned %ld\n", ((long (*)(long))(code + 4092))(1));
    } else {
        printf("fault in the second page: %d\n", fault_address == (uintptr_t)code + 4096);
    }
    REQUIRE(mprotect(code + 4096, 4096, PROT_READ | PROT_EXEC) == 0);
    printf("again: %ld\n", ((long (*)(long))(code + 4092))(1));
    return 0;
}
