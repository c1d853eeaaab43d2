/* Shows code written through a second mapping of the same pages, visible after fence.i.
 * qemu-riscv64 7.2 does not see such writes: its fence.i discards nothing; hence .expected. */
#include "common.h"
#include <sys/mman.h>

int main(void)
{
    int memory = memfd_create("code", 0);
    uint32_t *writable = NULL;
    uint32_t *executable = NULL;
    long sum = 0;

    REQUIRE(memory >= 0 && ftruncate(memory, 4096) == 0);
    writable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    executable = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, memory, 0);
    REQUIRE(writable != MAP_FAILED && executable != MAP_FAILED);
    for (unsigned i = 0; i < 100; i++) {
        writable[0] = i << 20 | 10u << 7 | 0x13;
        writable[1] = 0x00008067;
        __asm__ volatile("fence.i" ::: "memory");
        sum = sum * 3 % 1000003 + ((long (*)(void))executable)();
        __builtin___clear_cache((char *)executable, (char *)(executable + 2));
    }
    printf("sum %ld\n", sum);
    return 0;
}
