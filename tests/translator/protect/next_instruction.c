/* Shows stores into the instruction right behind them, which is executed next: by each kind of store, at each
 * place in two pages. */
#include "made_instructions.h"
#include "silent.h"

#define STEPS 24
#define PLACES 40 /* four bytes from one to the next */

extern char words_start[], words_end[];
extern char halves_start[], halves_end[];
extern char pairs_start[], pairs_end[];
extern char atomics_start[], atomics_end[];

/* a0: what to write, item by item; a1: the value that the written instructions work on. */
__asm__(".section .rodata\n"
        ".balign 8\n"
        ".option push\n"
        ".option norvc\n"
        ".set gap, " SAY_IT_BYTES "\n"
        "words_start:\n"
        ".rept 24\n"
        "    lw t0, 0(a0)\n"
        "    addi a0, a0, 4\n"
        "    auipc t1, 0\n"
        "    sw t0, (8 + gap)(t1)\n" SAY_IT "    unimp\n"
        "    addi a1, a1, 9\n"
        ".endr\n"
        "    mv a0, a1\n"
        "    ret\n"
        "words_end:\n"
        "halves_start:\n" /* short instructions: the next one is not aligned */
        ".option rvc\n"
        ".rept 24\n"
        "    lhu t0, 0(a0)\n"
        "    addi t1, a0, 4\n"
        "    mv a0, t1\n"
        "    auipc t1, 0\n"
        "    sh t0, (8 + gap)(t1)\n" SAY_IT "    .half 0\n"
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
        "    sd t0, (8 + gap)(t1)\n" SAY_IT "    unimp\n"
        "    unimp\n"
        ".endr\n"
        "    mv a0, a1\n"
        "    ret\n"
        "pairs_end:\n"
        "atomics_start:\n"
        ".rept 12\n"
        "    lw t0, 0(a0)\n"
        "    lw t2, 4(a0)\n"
        "    addi a0, a0, 8\n"
        "    auipc t1, 0\n"
        "    addi t1, t1, 12 + gap\n"
        "    amoswap.w zero, t0, (t1)\n" SAY_IT "    unimp\n"
        "    auipc t1, 0\n"
        "    addi t1, t1, 20 + gap\n"
        "1:  lr.w t3, (t1)\n"
        "    sc.w t3, t2, (t1)\n"
        "    bnez t3, 1b\n" SAY_IT "    unimp\n"
        ".endr\n"
        "    mv a0, a1\n"
        "    ret\n"
        "atomics_end:\n"
        ".option pop\n"
        ".text\n");

enum kind { PLAIN, JUMPS, HALVES };

/* Each function runs several times with other instructions in the same places. */
static void show(const char *name, const char *start, const char *end, enum kind kind)
{
    const size_t size = (size_t)(end - start);
    char *code = map_pages(2);
    uint64_t state = 5, hash = CHECKSUM_START;
    uint32_t words[STEPS];

    for (uint64_t i = 0; i < PLACES; i++) {
        char *place = code + PAGE - 4 * i;

        memcpy(place, start, size);
        say_it();
        for (uint64_t round = 0; round < 3; round++) {
            for (int step = 0; step < STEPS; step++) {
                const uint64_t random = next_random(&state);
                words[step] = kind == HALVES ? make_half(random) : make_word(random, kind == JUMPS);
            }
            hash = checksum_word(
                hash, ((uint64_t(*)(const uint32_t *, uint64_t))place)(words, i + round));
        }
    }
    printf("%s: %016lx\n", name, hash);
    REQUIRE(munmap(code, 2 * PAGE) == 0);
}

int main(void)
{
    show("words", words_start, words_end, PLAIN);
    show("words that jump", words_start, words_end, JUMPS);
    show("halves", halves_start, halves_end, HALVES);
    show("pairs", pairs_start, pairs_end, PLAIN);
    show("atomics", atomics_start, atomics_end, PLAIN);
    return 0;
}
