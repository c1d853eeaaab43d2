/* Shows ctzw: only the low word counts, and a zero word gives 32.
 * qemu-riscv64 7.2 looks at the high word when the low one is zero; hence .expected, which follows
 * the bit-manipulation specification. */
#include "common.h"

int main(void)
{
    static const uint64_t values[] = {0,           1,           2,           0x80000000,
                                      0xffffffff,  0x100000000, 1ul << 63,   UINT64_MAX,
                                      0x50000a000, 7ul << 40,   0x900000010, 0x123456789abcdef0};

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        uint64_t result = 0;

        __asm__ volatile("ctzw %0, %1" : "=r"(result) : "r"(values[i]));
        printf("%016lx %lu\n", values[i], result);
    }
    return 0;
}
