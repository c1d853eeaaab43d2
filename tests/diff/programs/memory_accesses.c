/* Shows loads and stores of every width, signed and not, at every alignment and over page ends. */
#include "common.h"
#include <sys/mman.h>

#define LOAD(name, at)                                                                             \
    do {                                                                                           \
        uint64_t value = 0;                                                                        \
        __asm__ volatile(name " %0, 0(%1)" : "=r"(value) : "r"(at) : "memory");                    \
        hash = checksum_word(hash, value);                                                         \
    } while (0)

#define STORE(name, at, value)                                                                     \
    __asm__ volatile(name " %1, 0(%0)" : : "r"(at), "r"(value) : "memory")

int main(void)
{
    unsigned char *area =
        mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t hash = CHECKSUM_START;
    uint64_t state = 7;

    REQUIRE(area != MAP_FAILED);
    for (int i = 0; i < 3 * 4096; i++) {
        area[i] = (unsigned char)next_random(&state);
    }
    for (int offset = 4096 - 16; offset < 4096 + 16; offset++) {
        unsigned char *at = area + offset;

        LOAD("lb", at);
        LOAD("lbu", at);
        LOAD("lh", at);
        LOAD("lhu", at);
        LOAD("lw", at);
        LOAD("lwu", at);
        LOAD("ld", at);
    }
    printf("loads %016lx\n", hash);
    for (int offset = 0; offset < 64; offset++) {
        STORE("sb", area + 8192 - 32 + offset, next_random(&state));
        STORE("sh", area + 8192 - 31 + offset, next_random(&state));
        STORE("sw", area + 8192 - 40 + offset, next_random(&state));
        STORE("sd", area + 8192 - 37 + offset, next_random(&state));
        __asm__ volatile("fld ft0, 0(%0)\n fsd ft0, 0(%1)\n flw ft1, 3(%0)\n fsw ft1, 9(%1)"
                         :
                         : "r"(area + 4090 + offset), "r"(area + 8185 + offset)
                         : "ft0", "ft1", "memory");
    }
    printf("stores %016lx\n", checksum(CHECKSUM_START, area, 3 * 4096));
    return 0;
}
