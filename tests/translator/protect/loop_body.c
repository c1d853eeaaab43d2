/* Shows loops that change their own instructions while they run: ahead of the store and behind it, at the loop's
 * head, and the branch that closes the loop; in the same page as the store and in another one. */
#include "silent.h"

#define TURNS 400

extern char loop_start[], loop_ahead[], loop_behind[], loop_head[], loop_end[];
extern char open_start[], open_branch[], open_end[];
extern char caller_start[], caller_end[];

/* a0: instructions to write in turn, TURNS of them; a1: where; a2: how many turns.  The value is in a3.
 * open: its branch jumps always; the turn after a2 of them, a nop is stored there.
 * caller: the same as loop, but what is changed is a function, whose address is a4. */
__asm__(".section .rodata\n"
        ".balign 8\n"
        ".option push\n"
        ".option norvc\n"
        "loop_start:\n"
        "    li a3, 1\n"
        "loop_head:\n"
        "    addi a3, a3, 0\n"
        "    slli t1, a3, 1\n"
        "loop_behind:\n"
        "    addi a3, a3, 0\n"
        "    xor a3, a3, t1\n"
        "    lw t0, 0(a0)\n"
        "    addi a0, a0, 4\n"
        "    sw t0, 0(a1)\n" SAY_IT "loop_ahead:\n"
        "    addi a3, a3, 0\n"
        "    addi a2, a2, -1\n"
        "    bnez a2, loop_head\n"
        "    mv a0, a3\n"
        "    ret\n"
        "loop_end:\n"
        "open_start:\n"
        "    li a3, 0\n"
        "    lw t0, 0(a0)\n"
        "    lw t1, 4(a0)\n"
        "1:  addi a3, a3, 1\n"
        "    sub t2, a3, a2\n"
        "    seqz t2, t2\n" /* which of the two is stored: the branch as it is, or the nop */
        "    slli t2, t2, 2\n"
        "    add t2, t2, a0\n"
        "    lw t3, 0(t2)\n"
        "    sw t3, 0(a1)\n" SAY_IT "open_branch:\n"
        "    beqz zero, 1b\n"
        "    mv a0, a3\n"
        "    ret\n"
        "open_end:\n"
        "caller_start:\n"
        "    addi sp, sp, -16\n"
        "    sd ra, 8(sp)\n"
        "    li a3, 1\n"
        "1:  lw t0, 0(a0)\n"
        "    addi a0, a0, 4\n"
        "    sw t0, 0(a1)\n" SAY_IT "    jalr a4\n"
        "    slli t1, a3, 1\n"
        "    xor a3, a3, t1\n"
        "    addi a2, a2, -1\n"
        "    bnez a2, 1b\n"
        "    mv a0, a3\n"
        "    ld ra, 8(sp)\n"
        "    addi sp, sp, 16\n"
        "    ret\n"
        "caller_end:\n"
        ".option pop\n"
        ".text\n");

typedef uint64_t body(const uint32_t *words, char *place, uint64_t turns, uint64_t value,
                      const char *function);

static uint32_t words[TURNS + 1];

/* Runs of the same instruction and of others, so that the loop is long in one state now and then. */
static void make_words(unsigned seed)
{
    uint64_t state = seed;
    uint32_t word = 0;

    for (unsigned i = 0; i <= TURNS; i++) {
        const uint64_t random = next_random(&state);
        if (i % 50 >= 25 || random % 3 == 0 || word == 0) {
            word = random % 5 == 0
                       ? 0x40d006b3 /* neg a3, a3 */
                       : (uint32_t)(random >> 8 & 0x7ff) << 20 | 13u << 15 | 13u << 7 | 0x13;
        }
        words[i] = word;
    }
}

static void show_loop(const char *name, const char *patched)
{
    char *code = map_pages(2);
    uint64_t hash = CHECKSUM_START;

    for (unsigned round = 0; round < 6; round++) {
        /* In one page, and over the end of it. */
        char *place = code + (round % 2 == 0 ? 512 : PAGE - 4 * (size_t)round);

        memcpy(place, loop_start, (size_t)(loop_end - loop_start));
        say_it();
        make_words(round + 1);
        const uint64_t got = ((body *)place)(words, place + (patched - loop_start), TURNS, 0, NULL);
        hash = checksum_word(hash, got);
    }
    printf("%s: %016lx\n", name, hash);
    REQUIRE(munmap(code, 2 * PAGE) == 0);
}

static void show_end(void)
{
    char *code = map_pages(1);
    const size_t size = (size_t)(open_end - open_start);
    uint64_t sum = 0;

    for (uint64_t turns = 1; turns < 2000; turns = turns * 3 + 1) {
        uint32_t choice[2] = {0, 0x00000013};

        memcpy(code, open_start, size);
        memcpy(choice, open_branch, 4);
        say_it();
        sum += ((body *)code)(choice, code + (open_branch - open_start), turns, 0, NULL);
    }
    printf("a loop that ends itself: %lu\n", sum);
    REQUIRE(munmap(code, PAGE) == 0);
}

/* The function is in the caller's page, or in the next. */
static void show_function(void)
{
    char *code = map_pages(2);
    uint64_t hash = CHECKSUM_START;

    for (unsigned round = 0; round < 6; round++) {
        char *function = code + (round % 2 == 0 ? 1024 : PAGE + 1024);

        memcpy(code, caller_start, (size_t)(caller_end - caller_start));
        memcpy(function, (uint32_t[]){0x00000013, 0x00000013, 0x00008067}, 12);
        say_it();
        make_words(round + 10);
        hash = checksum_word(hash, ((body *)code)(words, function + 4, TURNS, 0, function));
    }
    printf("a function in the loop: %016lx\n", hash);
    REQUIRE(munmap(code, 2 * PAGE) == 0);
}

int main(void)
{
    show_loop("ahead", loop_ahead);
    show_loop("behind", loop_behind);
    show_loop("the head", loop_head);
    show_end();
    show_function();
    return 0;
}
