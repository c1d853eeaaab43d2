/* Shows the bit-manipulation extensions Zba, Zbb and Zbs over edge values; ctzw stands apart, in
 * integer_bits_word.c. */
#include "common.h"

static const uint64_t values[] = {0,
                                  1,
                                  2,
                                  0x80,
                                  0xff,
                                  0x8000,
                                  0xffff,
                                  0x80000000,
                                  0xffffffff,
                                  0x100000000,
                                  0x7fffffffffffffff,
                                  0x8000000000000000,
                                  UINT64_MAX,
                                  0x123456789abcdef0,
                                  0x00ff00ff12003400,
                                  33,
                                  63,
                                  100};
#define COUNT (sizeof(values) / sizeof(values[0]))

#define TWO(name)                                                                                  \
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
        printf("%-10s %016lx\n", name, hash);                                                      \
    } while (0)

#define ONE(name, rest)                                                                            \
    do {                                                                                           \
        uint64_t hash = CHECKSUM_START;                                                            \
        for (size_t i = 0; i < COUNT; i++) {                                                       \
            uint64_t result = 0;                                                                   \
            __asm__ volatile(name " %0, %1" rest : "=r"(result) : "r"(values[i]));                 \
            hash = checksum_word(hash, result);                                                    \
        }                                                                                          \
        printf("%-10s %016lx\n", name, hash);                                                      \
    } while (0)

int main(void)
{
    TWO("sh1add");
    TWO("sh2add");
    TWO("sh3add");
    TWO("add.uw");
    TWO("sh1add.uw");
    TWO("sh2add.uw");
    TWO("sh3add.uw");
    ONE("slli.uw", ", 13");
    TWO("andn");
    TWO("orn");
    TWO("xnor");
    TWO("max");
    TWO("maxu");
    TWO("min");
    TWO("minu");
    TWO("rol");
    TWO("ror");
    TWO("rolw");
    TWO("rorw");
    ONE("rori", ", 37");
    ONE("roriw", ", 11");
    ONE("clz", "");
    ONE("ctz", "");
    ONE("cpop", "");
    ONE("clzw", "");
    ONE("cpopw", "");
    ONE("sext.b", "");
    ONE("sext.h", "");
    ONE("zext.h", "");
    ONE("orc.b", "");
    ONE("rev8", "");
    TWO("bclr");
    TWO("bext");
    TWO("binv");
    TWO("bset");
    ONE("bclri", ", 63");
    ONE("bexti", ", 5");
    ONE("binvi", ", 40");
    ONE("bseti", ", 0");
    return 0;
}
