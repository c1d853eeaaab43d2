/* Shows a function that writes its own next instructions: each store is followed by fence.i and then by what
 * it wrote, in one straight line, at each place in two pages. */
#include "common.h"
#include "made_instructions.h"
#include <sys/mman.h>

#define PAGE 4096
#define STEPS 24

extern char words_start[];
extern char words_end[];
extern char halves_start[];
extern char halves_end[];
extern char pairs_start[];
extern char pairs_end[];
extern char atomics_start[];
extern char atomics_end[];

/* a0: what to write, item by item; a1: the value that the written instructions work on. */
__asm__(".section .rodata\n"
        ".balign 8\n"
        ".option push\n"
        ".option norvc\n"
        "words_start:\n"
        ".rept 24\n"
        "    lw t0, 0(a0)\n"
        "    addi a0, a0, 4\n"
        "    auipc t1, 0\n"
        "    sw t0, 12(t1)\n"
        "    fence.i\n"
        "    unimp\n"
        "    addi a1, a1, 9\n"
        ".endr\n"
        "    mv a0, a1\n"
        "    ret\n"
        "words_end:\n"
        "halves_start:\n" /* short instructions: the next store is not aligned */
        ".option rvc\n"
        ".rept 24\n"
        "    lhu t0, 0(a0)\n"
        "    addi t1, a0, 4\n"
        "    mv a0, t1\n"
        "    auipc t1, 0\n"
        "    sh t0, 12(t1)\n"
        "    fence.i\n"
        "    .half 0\n"
        ".endr\n"
        "    mv a0, a1\n"
        "    ret\n"
        "halves_end:\n"
        ".option norvc\n"
        "pairs_start:\n" /* two at once, in a word that is aligned or not */
        ".rept 12\n"
        "    lw t0, 0(a0)\n"
        "    lwu t2, 4(a0)\n"
        "    addi a0, a0, 8\n"
        "    slli t0, t0, 32\n"
        "    or t0, t0, t2\n"
        "    auipc t1, 0\n"
        "    sd t0, 12(t1)\n"
        "    fence.i\n"
        "    unimp\n"
        "    unimp\n"
        ".endr\n"
        "    mv a0, a1\n"
        "    ret\n"
        "pairs_end:\n"
        "atomics_start:\n" /* by an atomic instruction, or a conditional store */
        ".rept 12\n"
        "    lw t0, 0(a0)\n"
        "    lw t2, 4(a0)\n"
        "    addi a0, a0, 8\n"
        "    auipc t1, 0\n"
        "    addi t1, t1, 16\n"
        "    amoswap.w zero, t0, (t1)\n"
        "    fence.i\n"
        "    unimp\n"
        "    auipc t1, 0\n"
        "    addi t1, t1, 28\n"
        "1:  lr.w t3, (t1)\n"
        "    sc.w t3, t2, (t1)\n"
        "    bnez t3, 1b\n"
        "    fence.i\n"
        "    nop\n"
        "    unimp\n"
        ".endr\n"
        "    mv a0, a1\n"
        "    ret\n"
        "atomics_end:\n"
        ".option pop\n"
        ".text\n");

/* It has run before with other instructions in the same places. */
static void show(const char *name, const char *start, const char *end, size_t step, int kind)
{
    const size_t size = (size_t)(end - start);
    char *code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t state = 5, hash = CHECKSUM_START;
    uint32_t words[STEPS];

    REQUIRE(code != MAP_FAILED);
    for (size_t before = 0; before <= size; before += step) {
        char *place = code + PAGE - before;

        memcpy(place, start, size);
        __builtin___clear_cache(code, code + 2 * PAGE);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < STEPS; i++) {
                const uint64_t random = next_random(&state);
                words[i] = kind == 2 ? make_half(random) : make_word(random, kind);
            }
            const uint64_t got =
                ((uint64_t(*)(const uint32_t *, uint64_t))place)(words, before + (uint64_t)round);
            hash = checksum_word(hash, got);
        }
    }
    printf("%s: %016lx\n", name, hash);
    REQUIRE(munmap(code, 2 * PAGE) == 0);
}

int main(void)
{
    show("words", words_start, words_end, 4, 0);
    show("words that jump", words_start, words_end, 4, 1);
    show("words in two halves", words_start, words_end, 6, 0);
    show("halves", halves_start, halves_end, 2, 2);
    show("pairs", pairs_start, pairs_end, 4, 0);
    show("atomics", atomics_start, atomics_end, 8, 0);
    return 0;
}
