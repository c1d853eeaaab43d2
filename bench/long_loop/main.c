/* A loop with many branches in each turn, executed until a number of branches is reached.
 *
 * Half of the bits of a word are set, so half of the branches are taken.  In `steady` turns that is all; in `varied` ones
 * each branch goes the other way in one of 16 turns in the mean. */
#include "../program.h"

#include <stdbool.h>

#define WORDS 64
#define BITS 64
#define WORD UINT64_C(0x6666666666666666)
#define RARE 16
#define MILLION UINT64_C(1000000)

uint64_t long_loop(const uint64_t *words, uint64_t turns);

/* What the loop counts, by the rule. */
static uint64_t count_clear(const uint64_t *words, uint64_t turns)
{
    uint64_t clear = 0;
    for (uint64_t turn = 0; turn < turns; turn++) {
        for (uint64_t branch = 0; branch < BRANCHES; branch++) {
            clear += (words[turn % WORDS] >> (branch * 7 % BITS) & 1) == 0;
        }
    }
    return clear;
}

int main(int argc, char **argv)
{
    uint64_t words[WORDS], state = 2026;
    char *end = NULL;
    const uint64_t millions = argc > 2 ? strtoull(argv[2], &end, 10) : 0;
    const bool varied = argc > 2 && strcmp(argv[1], "varied") == 0;
    if (argc != 3 || *end != '\0' || millions < 1 || millions > MILLION ||
        (!varied && strcmp(argv[1], "steady") != 0)) {
        fprintf(stderr, "usage: %s steady|varied MILLIONS   (of branches: 1 to 1000000)\n",
                argv[0]);
        return 2;
    }
    for (unsigned i = 0; i < WORDS; i++) {
        words[i] = WORD;
        for (unsigned bit = 0; varied && bit < BITS; bit++) {
            words[i] ^= (uint64_t)(program_random_below(&state, RARE) == 0) << bit;
        }
    }
    const uint64_t turns = millions * MILLION / BRANCHES;
    const uint64_t result = long_loop(words, turns);
    /* All words come by in their order: 64 turns say what the others do. */
    if (turns % WORDS == 0) {
        program_check(result == count_clear(words, WORDS) * (turns / WORDS), "branches not taken");
    }
    printf("long_loop %d %s: %" PRIu64 " turns, %" PRIu64 " branches not taken\n", BRANCHES,
           argv[1], turns, result);
    return 0;
}
