/* Shows atomic memory operations of both widths with all orderings, and
 * load-reserved/store-conditional. */
#include "common.h"

static const uint64_t values[] = {0,          1,          0x7fffffff,         0x80000000,
                                  0xffffffff, UINT64_MAX, 0x8000000000000000, 0x123456789abcdef0};
#define COUNT (sizeof(values) / sizeof(values[0]))

#define SHOW(name)                                                                                 \
    do {                                                                                           \
        uint64_t hash = CHECKSUM_START;                                                            \
        for (size_t i = 0; i < COUNT; i++) {                                                       \
            for (size_t k = 0; k < COUNT; k++) {                                                   \
                uint64_t memory[3] = {~values[i], values[i], values[k]};                           \
                uint64_t old = 0;                                                                  \
                __asm__ volatile(name " %0, %1, (%2)"                                              \
                                 : "=&r"(old)                                                      \
                                 : "r"(values[k]), "r"(memory + 1)                                 \
                                 : "memory");                                                      \
                hash = checksum_word(checksum(hash, memory, sizeof(memory)), old);                 \
            }                                                                                      \
        }                                                                                          \
        printf("%-15s %016lx\n", name, hash);                                                      \
    } while (0)

#define FAMILY(operation)                                                                          \
    SHOW("amo" operation ".w");                                                                    \
    SHOW("amo" operation ".d.aq");                                                                 \
    SHOW("amo" operation ".w.rl");                                                                 \
    SHOW("amo" operation ".d.aqrl")

int main(void)
{
    uint64_t memory[2] = {5, 6};
    uint64_t loaded = 0;
    uint64_t failed = 0;

    FAMILY("swap");
    FAMILY("add");
    FAMILY("xor");
    FAMILY("and");
    FAMILY("or");
    FAMILY("min");
    FAMILY("max");
    FAMILY("minu");
    FAMILY("maxu");
    __asm__ volatile("lr.d %0, (%2)\n sc.d %1, %3, (%2)"
                     : "=&r"(loaded), "=&r"(failed)
                     : "r"(memory), "r"(77l)
                     : "memory");
    printf("pair: loaded %lu, failed %d, memory %lu\n", loaded, failed != 0, memory[0]);
    __asm__ volatile("sc.d %0, %2, (%1)" : "=&r"(failed) : "r"(memory), "r"(88l) : "memory");
    printf("alone: failed %d, memory %lu\n", failed != 0, memory[0]);
    __asm__ volatile("lr.w.aq %0, (%2)\n sc.w.rl %1, %3, (%2)"
                     : "=&r"(loaded), "=&r"(failed)
                     : "r"((char *)memory + 4), "r"(0x80000001l)
                     : "memory");
    printf("word: loaded %lx, failed %d, memory %lx\n", loaded, failed != 0, memory[0]);
    __asm__ volatile("lr.d %0, (%2)\n sc.d %1, %3, (%2)\n sc.d %1, %3, (%2)"
                     : "=&r"(loaded), "=&r"(failed)
                     : "r"(memory + 1), "r"(99l)
                     : "memory");
    printf("twice: failed %d, memory %lu\n", failed != 0, memory[1]);
    return 0;
}
