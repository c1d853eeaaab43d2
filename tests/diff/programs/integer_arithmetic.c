/* Shows integer arithmetic at its corners: division by zero and overflow, high products, shifts,
 * words. */
#include "common.h"

static const uint64_t values[] = {0,
                                  1,
                                  2,
                                  3,
                                  7,
                                  UINT64_MAX,
                                  0x8000000000000000,
                                  0x7fffffffffffffff,
                                  0x80000000,
                                  0x7fffffff,
                                  0xffffffff,
                                  0xffffffff80000000,
                                  63,
                                  64,
                                  65,
                                  0x123456789abcdef0,
                                  0xfedcba9876543210};
#define COUNT (sizeof(values) / sizeof(values[0]))

#define SHOW(name)                                                                                 \
    do {                                                                                           \
        uint64_t hash = CHECKSUM_START;                                                            \
        for (size_t i = 0; i < COUNT; i++) {                                                       \
            for (size_t k = 0; k < COUNT; k++) {                                                   \
                uint64_t result = 0;                                                               \
                __asm__ volatile(name " %0, %1, %2"                                                \
                                 : "=r"(result)                                                    \
                                 : "r"(values[i]), "r"(values[k]));                                \
                hash = checksum_word(hash, result);                                                \
            }                                                                                      \
        }                                                                                          \
        printf("%-7s %016lx\n", name, hash);                                                       \
    } while (0)

int main(void)
{
    volatile int64_t lowest = INT64_MIN;
    volatile int64_t minus_one = -1;
    volatile int64_t zero = 0;
    int64_t result = 0;

    SHOW("add");
    SHOW("sub");
    SHOW("addw");
    SHOW("subw");
    SHOW("sll");
    SHOW("srl");
    SHOW("sra");
    SHOW("sllw");
    SHOW("srlw");
    SHOW("sraw");
    SHOW("slt");
    SHOW("sltu");
    SHOW("mul");
    SHOW("mulh");
    SHOW("mulhu");
    SHOW("mulhsu");
    SHOW("mulw");
    SHOW("div");
    SHOW("divu");
    SHOW("rem");
    SHOW("remu");
    SHOW("divw");
    SHOW("divuw");
    SHOW("remw");
    SHOW("remuw");
    __asm__ volatile("div %0, %1, %2" : "=r"(result) : "r"(lowest), "r"(minus_one));
    printf("overflow %016lx", result);
    __asm__ volatile("rem %0, %1, %2" : "=r"(result) : "r"(lowest), "r"(minus_one));
    printf(" %016lx\n", result);
    __asm__ volatile("div %0, %1, %2" : "=r"(result) : "r"(lowest), "r"(zero));
    printf("by zero %016lx", result);
    __asm__ volatile("remu %0, %1, %2" : "=r"(result) : "r"(lowest), "r"(zero));
    printf(" %016lx\n", result);
    /* By 0 bits: what is extended is bit 31. */
    __asm__ volatile("srliw %0, %1, 0" : "=r"(result) : "r"(0x1280000000l));
    printf("not shifted %016lx", result);
    __asm__ volatile("slliw %0, %1, 0" : "=r"(result) : "r"(0x1280000000l));
    printf(" %016lx", result);
    __asm__ volatile("sraiw %0, %1, 0" : "=r"(result) : "r"(0x1280000000l));
    printf(" %016lx\n", result);
    return 0;
}
