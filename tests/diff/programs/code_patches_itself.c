/* Shows a loop that patches an instruction of its own body while it runs, with fence.i each
 * round. */
#include "common.h"
#include <sys/mman.h>

extern char loop_start[];
extern char loop_patch[];
extern char loop_end[];

__asm__(".section .rodata\n"
        ".balign 8\n"
        ".option push\n"
        ".option norvc\n"
        "loop_start:\n"
        "    li a2, 0\n"
        "1:  lw t0, 0(a0)\n"
        "    sw t0, 0(a1)\n"
        "    fence.i\n"
        "    addi a0, a0, 4\n"
        "    slli a2, a2, 1\n"
        "loop_patch:\n"
        "    addi a2, a2, 0\n"
        "    addi a3, a3, -1\n"
        "    bnez a3, 1b\n"
        "    mv a0, a2\n"
        "    ret\n"
        "loop_end:\n"
        ".option pop\n"
        ".text\n");

int main(void)
{
    size_t size = (size_t)(loop_end - loop_start);
    char *code =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t words[40];

    REQUIRE(code != MAP_FAILED);
    memcpy(code, loop_start, size);
    __builtin___clear_cache(code, code + size);
    for (unsigned i = 0; i < 40; i++) {
        words[i] = (i % 3 == 0 ? 0x40c00633u : (i * 5 % 64) << 20 | 12u << 15 | 12u << 7 | 0x13u);
    }
    for (unsigned round = 1; round <= 40; round++) {
        uint64_t (*function)(uint32_t *, char *, uint64_t, uint64_t) =
            (uint64_t(*)(uint32_t *, char *, uint64_t, uint64_t))code;

        printf("%016lx%c", function(words, code + (loop_patch - loop_start), 0, round),
               round % 4 == 0 ? '\n' : ' ');
    }
    return 0;
}
