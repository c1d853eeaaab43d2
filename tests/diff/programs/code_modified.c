/* Shows self-modifying code: patched instructions take effect after fence.i and after the system
 * call. */
#include "common.h"
#include <sys/mman.h>
#include <sys/syscall.h>

/* addi a0, a0, N ; ret */
static uint32_t add_immediate(unsigned value)
{
    return value << 20 | 10u << 15 | 10u << 7 | 0x13;
}

int main(void)
{
    uint32_t *code =
        mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long (*function)(long) = (long (*)(long))code;
    uint64_t hash = CHECKSUM_START;

    REQUIRE(code != MAP_FAILED);
    for (int i = 0; i < 64; i++) {
        code[i] = add_immediate(1);
    }
    code[64] = 0x00008067;
    __asm__ volatile("fence.i" ::: "memory");
    printf("first %ld\n", function(0));
    for (unsigned i = 0; i < 3000; i++) {
        code[i * 7 % 64] = add_immediate(i % 2048);
        if (i % 2 == 0) {
            __asm__ volatile("fence.i" ::: "memory");
        } else {
            __builtin___clear_cache((char *)code, (char *)(code + 65));
        }
        hash = checksum_word(hash, (uint64_t)function((long)i));
    }
    printf("patched %016lx\n", hash);
    /* A return put into the middle, two bytes long and on a two-byte boundary. */
    code[20] = 0x80820001;
    REQUIRE(syscall(SYS_riscv_flush_icache, code, code + 65, 0) == 0);
    printf("shortened %ld\n", function(1));
    /* The end of one page and the start of the next. */
    memcpy((char *)code + 4094, (uint32_t[]){add_immediate(33)}, 4);
    memcpy((char *)code + 4098, (uint16_t[]){0x8082}, 2);
    __asm__ volatile("fence.i" ::: "memory");
    function = (long (*)(long))((char *)code + 4094);
    printf("across pages %ld", function(1));
    memcpy((char *)code + 4094, (uint32_t[]){add_immediate(44)}, 4);
    __asm__ volatile("fence.i" ::: "memory");
    printf(" %ld\n", function(1));
    return 0;
}
