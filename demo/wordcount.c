/* A program that finds its own hot loops: it arms a hardware counter on every loop head of its text.
 *
 * The work is a word count over generated text: build the text, count words in
 * a hash table, sort them by frequency, and check the text with a CRC.  Before
 * that, arm_loops() walks the instructions of these functions, as a dynamic
 * translator would, and gives `ctr.new` the target of each backward branch.
 * From then on counting costs the program nothing: when a loop has run 100
 * times the processor calls on_hot_loop, which notes its address. */
#include "isa/rv64/xstrata_asm.h"
#include "isa/rv64/xstrata_abi.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define THRESHOLD 100
/* A section of its own, so that the linker tells where the functions begin and end. */
#define COUNTED __attribute__((noinline, section("counted_text")))
extern const char __start_counted_text[], __stop_counted_text[];

#define TEXT_BYTES 400000
#define WORDS_MAX 4096

struct word {
    char spelling[12];
    uint32_t count;
};

static char text[TEXT_BYTES + 1];
static struct word words[WORDS_MAX];
static unsigned word_count;
static uint16_t table[2 * WORDS_MAX]; /* index into words, plus one */

/* Short words are frequent and long ones are rare, as in a language. */
COUNTED static void write_text(uint32_t seed)
{
    size_t at = 0;
    while (at + 12 < TEXT_BYTES) {
        unsigned length = 1;
        do {
            seed = seed * 1664525 + 1013904223;
            text[at++] = (char)('a' + (seed >> 24) % (length < 3 ? 5 : 3));
        } while ((seed >> 16 & 3) != 0 && ++length < 9);
        text[at++] = ' ';
    }
    text[at] = '\0';
}

COUNTED static uint32_t hash_word(const char *spelling)
{
    uint32_t hash = 2166136261u;
    while (*spelling != '\0') {
        hash = (hash ^ (uint8_t)*spelling++) * 16777619u;
    }
    return hash;
}

COUNTED static void count_word(const char *spelling)
{
    uint32_t slot = hash_word(spelling) % (2 * WORDS_MAX);
    while (table[slot] != 0) {
        struct word *word = &words[table[slot] - 1];
        if (strcmp(word->spelling, spelling) == 0) {
            word->count++;
            return;
        }
        slot = (slot + 1) % (2 * WORDS_MAX);
    }
    if (word_count < WORDS_MAX) {
        strcpy(words[word_count].spelling, spelling);
        words[word_count].count = 1;
        table[slot] = (uint16_t)++word_count;
    }
}

COUNTED static void count_words(void)
{
    char spelling[12];
    unsigned length = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at != ' ') {
            spelling[length++] = *at;
            continue;
        }
        spelling[length] = '\0';
        count_word(spelling);
        length = 0;
    }
}

COUNTED static void sort_words(void)
{
    for (unsigned gap = word_count / 2; gap > 0; gap /= 2) {
        for (unsigned i = gap; i < word_count; i++) {
            const struct word moved = words[i];
            unsigned to = i;
            while (to >= gap && words[to - gap].count < moved.count) {
                words[to] = words[to - gap];
                to -= gap;
            }
            words[to] = moved;
        }
    }
}

COUNTED static uint32_t check_text(void)
{
    uint32_t crc = ~0u;
    for (const char *at = text; *at != '\0'; at++) {
        crc ^= (uint8_t)*at;
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
        }
    }
    return ~crc;
}

/* Hot loops in the order in which they became hot; filled by the callback. */
uint64_t hot_loops[64];
uint64_t hot_count;
uint64_t saved_registers[3];

/* The callback interrupts the program between two instructions: it may change
 * no register.  The scratch CSR frees the first one. */
__asm__(".text\n"
        "on_hot_loop:\n"
        "    csrw 0x803, t0\n" /* ctrscratch */
        "    la t0, saved_registers\n"
        "    sd t1, 0(t0)\n"
        "    sd t2, 8(t0)\n"
        "    sd t3, 16(t0)\n"
        "    la t1, hot_count\n"
        "    ld t2, 0(t1)\n"
        "    addi t3, t2, 1\n"
        "    sd t3, 0(t1)\n"
        "    andi t2, t2, 63\n"
        "    slli t2, t2, 3\n"
        "    la t1, hot_loops\n"
        "    add t1, t1, t2\n"
        "    csrr t3, 0x802\n" /* ctrarg: the loop's address */
        "    sd t3, 0(t1)\n"
        "    ld t1, 0(t0)\n"
        "    ld t2, 8(t0)\n"
        "    ld t3, 16(t0)\n"
        "    csrr t0, 0x803\n"
        "    .insn r 0x0b, 0, 3, x0, x0, x0\n" /* ctr.ret */
);
extern const char on_hot_loop[];

static int64_t sign_extend(uint32_t value, unsigned bits)
{
    return (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
}

/* The offset of a direct branch or jump, 0 for every other instruction. */
static int64_t branch_offset(uint32_t w)
{
    if ((w & 0x7f) == 0x63) { /* beq and its like */
        return sign_extend((w >> 31 & 1) << 12 | (w >> 7 & 1) << 11 | (w >> 25 & 63) << 5 |
                               (w >> 8 & 15) << 1,
                           13);
    }
    if ((w & 0xfff) == 0x6f) { /* jal x0 */
        return sign_extend((w >> 31 & 1) << 20 | (w >> 12 & 255) << 12 | (w >> 20 & 1) << 11 |
                               (w >> 21 & 1023) << 1,
                           21);
    }
    if ((w & 0xc003) == 0xc001) { /* c.beqz, c.bnez */
        return sign_extend((w >> 12 & 1) << 8 | (w >> 5 & 3) << 6 | (w >> 2 & 1) << 5 |
                               (w >> 10 & 3) << 3 | (w >> 3 & 3) << 1,
                           9);
    }
    if ((w & 0xe003) == 0xa001) { /* c.j */
        return sign_extend((w >> 12 & 1) << 11 | (w >> 8 & 1) << 10 | (w >> 9 & 3) << 8 |
                               (w >> 6 & 1) << 7 | (w >> 7 & 1) << 6 | (w >> 2 & 1) << 5 |
                               (w >> 11 & 1) << 4 | (w >> 3 & 7) << 1,
                           12);
    }
    return 0;
}

static unsigned arm_loops(void)
{
    unsigned loops = 0;
    xstrata_csr_write(ctrthresh, THRESHOLD);
    for (const char *at = __start_counted_text; at < __stop_counted_text;) {
        uint32_t word = 0;
        memcpy(&word, at, 2);
        const unsigned length = (word & 3) == 3 ? 4 : 2;
        memcpy(&word, at, length);
        const int64_t offset = branch_offset(word);
        if (offset < 0) {
            xstrata_ctr_new((uintptr_t)(at + offset), (uintptr_t)on_hot_loop);
            loops++;
        }
        at += length;
    }
    return loops;
}

int main(void)
{
    const bool counters = getauxval(AT_STRATA) & XSTRATA_COUNTERS;
    if (counters) {
        printf("armed counters on %u backward branches\n", arm_loops());
    } else {
        /* The processor has none, or a translator keeps them for itself: it counts the loops then. */
        printf("no counter table is offered to this program: it arms no counters itself\n");
    }
    write_text(2002);
    count_words();
    sort_words();
    printf("%u different words, \"%s\" the most frequent with %u; CRC %08x\n", word_count,
           words[0].spelling, words[0].count, check_text());
    if (counters) {
        printf("%llu loops became hot (%u executions)\n", (unsigned long long)hot_count, THRESHOLD);
    }
    return 0;
}
