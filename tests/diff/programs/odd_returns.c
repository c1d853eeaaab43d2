/* Shows returns in hot code that do not go behind the last call: to addresses that were changed in memory or in ra, by
 * every kind of instruction that can; behind data; after calls of the next instruction; by longjmp; and deep recursion. */
#include "common.h"
#include <setjmp.h>

#define TIMES 400

/* What an asm loop works with: how often, and a mask of i that says when the return goes elsewhere. */
typedef uint64_t (*loop_function)(uint64_t times, uint64_t mask);

/* A loop of a0 turns.  s0 is where the return shall go, mostly right behind the call, s1 what is counted.  `body` is
 * a function that brings s0 to ra in its way, and returns. */
#define LOOP(name, body)                                                                           \
    uint64_t name(uint64_t times, uint64_t mask);                                                  \
    __asm__(".text\n.balign 4\n.globl " #name "\n" #name ":\n"                                     \
            "    addi sp, sp, -48\n    sd ra, 0(sp)\n    sd s0, 8(sp)\n    sd s1, 16(sp)\n"        \
            "    li s1, 0\n"                                                                       \
            "1:  lla s0, 2f\n"                                                                     \
            "    and t0, a0, a1\n"                                                                 \
            "    bnez t0, 9f\n"                                                                    \
            "    lla s0, 3f\n"                                                                     \
            "9:  sd s0, 24(sp)\n"                                                                  \
            "    jal ra, 5f\n"                                                                     \
            "2:  addi s1, s1, 1\n"                                                                 \
            "    j 4f\n"                                                                           \
            "3:  addi s1, s1, 1000\n"                                                              \
            "4:  addi a0, a0, -1\n"                                                                \
            "    bnez a0, 1b\n"                                                                    \
            "    mv a0, s1\n"                                                                      \
            "    ld ra, 0(sp)\n    ld s0, 8(sp)\n    ld s1, 16(sp)\n    addi sp, sp, 48\n"         \
            "    ret\n"                                                                            \
            "5:\n" body "\n")

LOOP(by_move, "c.mv ra, s0\nret");
LOOP(by_long_move, ".option push\n.option norvc\naddi ra, s0, 0\n.option pop\nret");
LOOP(by_load, ".option push\n.option norvc\nld ra, 24(sp)\n.option pop\nret");
LOOP(by_short_load, "c.ldsp ra, 24(sp)\nret");
LOOP(by_word_load, "lwu ra, 24(sp)\nret");
LOOP(by_addition, "sub t1, s0, ra\nc.add ra, t1\nret");
LOOP(by_swap, "addi t1, sp, 24\namoswap.d ra, s0, (t1)\nret");
LOOP(by_reservation, "addi t1, sp, 24\n"
                     "6: lr.d ra, (t1)\n"
                     "sc.d t2, ra, (t1)\n"
                     "bnez t2, 6b\n"
                     "ret");
LOOP(by_double, "fmv.d.x ft0, s0\nfmv.x.d ra, ft0\nret");
LOOP(by_conversion, "fcvt.d.l ft0, s0\nfcvt.l.d ra, ft0\nret");
LOOP(by_constant, "lla t1, 3b\n"
                  "bne s0, t1, 6f\n"
                  "auipc ra, 0\n"
                  "7: lla t2, 7b - 4\n"
                  "sub t1, t1, t2\n"
                  "add ra, ra, t1\n"
                  "6: ret");
LOOP(by_other_register, "mv t0, s0\njr t0");
LOOP(by_offset, "addi ra, s0, -8\njr 8(ra)");
LOOP(by_odd_address, "addi ra, s0, 1\nret");
LOOP(by_nested_call, "mv t2, s0\njal ra, 6f\nmv ra, t2\nret\n6: ret");
LOOP(by_call_of_next, "sub t1, s0, ra\n"
                      "mv t2, ra\n"
                      "jal ra, 6f\n"
                      "6: mv ra, t2\n"
                      "add ra, ra, t1\n"
                      "ret");
LOOP(by_return_to_next, "mv t2, s0\n"
                        "jal ra, 6f\n"
                        "6: beq ra, t2, 8f\n"
                        "lla t1, 7f\n"
                        "mv ra, t1\n"
                        "ret\n"
                        "7: mv ra, t2\n"
                        "8: ret");
LOOP(by_coroutine, "mv ra, s0\njalr ra, 0(ra)\nret"); /* the second half is never reached */
LOOP(by_link_elsewhere, "mv t1, s0\njal t0, 6f\njr t1\n6: jalr x0, 0(t0)");
LOOP(by_offset_of_link, ".option push\n.option norvc\n"
                        "mv t2, s0\njal ra, 6f\nli t2, 0\nmv ra, t2\nret\n"
                        "6: jalr x0, 4(ra)\n.option pop");
LOOP(by_added_offset, ".option push\n.option norvc\n"
                      "mv t2, s0\njal ra, 6f\n.word 0\nmv ra, t2\nret\n"
                      "6: addi ra, ra, 4\nret\n.option pop");
LOOP(by_condition, "beqz t0, 6f\nret\n6: mv ra, s0\nret");

#define ROW(name)                                                                                  \
    {                                                                                              \
#name, name                                                                                \
    }
static const struct {
    const char *name;
    loop_function run;
} loops[] = {
    ROW(by_move),           ROW(by_long_move),   ROW(by_load),           ROW(by_short_load),
    ROW(by_word_load),      ROW(by_addition),    ROW(by_swap),           ROW(by_reservation),
    ROW(by_double),         ROW(by_conversion),  ROW(by_constant),       ROW(by_other_register),
    ROW(by_offset),         ROW(by_odd_address), ROW(by_nested_call),    ROW(by_call_of_next),
    ROW(by_return_to_next), ROW(by_coroutine),   ROW(by_link_elsewhere), ROW(by_offset_of_link),
    ROW(by_added_offset),   ROW(by_condition)};

/* Never elsewhere at first, then seldom, often, always. */
static void show_loops(void)
{
    static const uint64_t masks[] = {UINT64_MAX, 63, 7, 1, 0, UINT64_MAX};

    for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
        printf("%s:", loops[i].name);
        for (size_t j = 0; j < sizeof(masks) / sizeof(masks[0]); j++) {
            printf(" %lu", loops[i].run(TIMES, masks[j]));
        }
        printf("\n");
    }
}

static __attribute__((noinline)) uint64_t descend(uint64_t depth, uint64_t value)
{
    if (depth == 0) {
        return value;
    }
    value = descend(depth - 1, value * 3 + depth);
    return value ^ depth;
}

static __attribute__((noinline)) uint64_t fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void show_recursion(void)
{
    uint64_t hash = CHECKSUM_START;

    for (unsigned i = 0; i < 20; i++) {
        hash = checksum_word(hash, descend(8000, i));
    }
    for (unsigned i = 0; i < 3000; i++) {
        hash = checksum_word(hash, descend(i % 4, i));
    }
    printf("recursion: %016lx, %lu\n", hash, fibonacci(19));
}

static jmp_buf back;

static __attribute__((noinline)) uint64_t leave_from(uint64_t depth, unsigned i)
{
    for (unsigned j = 0; j < 6; j++) {
        if (depth == 0 && (i + j) % 4 == 0) {
            longjmp(back, (int)(i % 100) + 1);
        }
        if (depth != 0) {
            leave_from(depth - 1, i + j);
        }
    }
    return depth + i;
}

static void show_long_jumps(void)
{
    volatile uint64_t sum = 0;

    for (volatile unsigned i = 0; i < 1500; i++) {
        const int came = setjmp(back);
        if (came == 0) {
            sum += leave_from(i % 5, i);
        } else {
            sum = sum * 31 + (uint64_t)came;
        }
    }
    printf("long jumps: %016lx\n", (uint64_t)sum);
}

int main(void)
{
    show_loops();
    show_recursion();
    show_long_jumps();
    return 0;
}
