/* Shows hot loops whose middle is changed again and again, behind their heads: between calls, by functions that they
 * call, by themselves, through pointers, and by another mapping. */
#include "common.h"
#include <sys/mman.h>

#define PAGE 4096
#define X0 0u
#define RA 1u
#define T0 5u
#define T1 6u
#define T2 7u
#define A0 10u
#define A1 11u
#define A2 12u
#define A3 13u
#define FENCE_I 0x0000100fu
#define RET 0x00008067u
/* Where parts of the made code stand, in words. */
#define LOOP 0
#define MIDDLE 200
#define OTHER 300
#define LAST 400

static uint32_t *code;
static unsigned round_number;
static unsigned wrong;
static uint64_t hash = CHECKSUM_START;

static uint32_t add(unsigned rd, unsigned rs1, int value)
{
    return (uint32_t)value << 20 | rs1 << 15 | rd << 7 | 0x13;
}

static uint32_t mask(unsigned rd, unsigned rs1, unsigned value)
{
    return value << 20 | rs1 << 15 | 7u << 12 | rd << 7 | 0x13;
}

static uint32_t jump(unsigned link, unsigned at, unsigned to)
{
    const uint32_t offset = (to - at) * 4;

    return (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3ff) << 21 | (offset >> 11 & 1) << 20 |
           (offset >> 12 & 0xff) << 12 | link << 7 | 0x6f;
}

/* beq (0) or bne (1) */
static uint32_t branch(unsigned kind, unsigned rs1, unsigned rs2, unsigned at, unsigned to)
{
    const uint32_t offset = (to - at) * 4;

    return (offset >> 12 & 1) << 31 | (offset >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 |
           kind << 12 | (offset >> 1 & 0xf) << 8 | (offset >> 11 & 1) << 7 | 0x63;
}

static uint32_t jump_to(unsigned link, unsigned rs1)
{
    return rs1 << 15 | link << 7 | 0x67;
}

static void synchronize(void)
{
    if (round_number % 2 == 0) {
        __asm__ volatile("fence.i" ::: "memory");
    } else {
        __builtin___clear_cache((char *)code, (char *)code + PAGE);
    }
}

static void check(long got, long wanted)
{
    wrong += got != wanted;
    hash = checksum_word(hash, (uint64_t)got);
}

static void show(const char *what)
{
    printf("%s: wrong %u, %016lx\n", what, wrong, hash);
}

/* a1 times: MIDDLE is called, and LAST is jumped through, before the loop goes back. */
static void write_loop(void)
{
    unsigned at = LOOP;

    code[at++] = add(T2, RA, 0);
    const unsigned head = at;
    code[at++] = mask(T1, A1, 3);
    code[at] = branch(0, T1, X0, at, at + 2);
    at++;
    code[at++] = add(A0, A0, 1);
    code[at] = jump(RA, at, MIDDLE);
    at++;
    code[at++] = add(A0, A0, 16);
    code[at] = jump(X0, at, LAST);
    at++;
    const unsigned back = at;
    code[at++] = add(A1, A1, -1);
    code[at] = branch(1, A1, X0, at, head);
    at++;
    code[at++] = jump_to(X0, T2);

    code[MIDDLE] = add(A0, A0, 2);
    code[MIDDLE + 1] = RET;
    code[OTHER] = add(A0, A0, 500);
    code[OTHER + 1] = RET;
    code[LAST] = add(A0, A0, 32);
    code[LAST + 1] = jump(X0, LAST + 1, back);
}

static long call_loop(long value, long times)
{
    return ((long (*)(long, long))(code + LOOP))(value, times);
}

/* The change is of a number, of what a jump leads to, of a branch into a return and back. */
static void change_between_calls(void)
{
    int middle = 2, last = 32;

    write_loop();
    for (round_number = 0; round_number < 300; round_number++) {
        switch (round_number % 4) {
        case 0:
            middle = (int)(round_number % 1000);
            code[MIDDLE] = add(A0, A0, middle);
            break;
        case 1:
            last = (int)(round_number % 700);
            code[LAST] = add(A0, A0, last);
            break;
        case 2: /* the middle becomes a jump */
            code[MIDDLE] = jump(X0, MIDDLE, OTHER);
            middle = 500;
            break;
        default: /* and something else at once, of two lengths: c.addi a0, 3; c.nop */
            code[MIDDLE] = 0x0001050d;
            middle = 3;
            break;
        }
        synchronize();
        const long times = 12 + round_number % 40;
        check(call_loop(0, times), times * (16 + middle + last) + (times - times / 4));
    }
    show("between calls");
}

static int middle_value;

/* Called from MIDDLE's place through a pointer in a2: what the loop does right behind the return is another each time. */
static long patch(long value, long times)
{
    if (times % 5 == 0) {
        middle_value = (int)(round_number + (unsigned)times) % 1024;
        code[MIDDLE + 8] = add(A0, A0, middle_value);
        synchronize();
    }
    return value;
}

/* a1 times: saves what C may change, calls a2, and adds what was patched. */
static void write_caller(void)
{
    const uint32_t words[] = {
        0xfe010113, 0x00113023, 0x00b13423, 0x00c13823, /* addi sp, -32; sd ra, a1, a2 */
        0x000600e7,                                     /* jalr a2 */
        0x00813583, 0x01013603, 0x00013083,             /* ld a1, a2, ra */
        0x00050513,                                     /* addi a0, a0, N: patched */
        0x02010113,                                     /* addi sp, 32 */
    };
    unsigned at = MIDDLE;

    memcpy(code + at, words, sizeof(words));
    at += sizeof(words) / sizeof(words[0]);
    code[at++] = add(A1, A1, -1);
    code[at] = branch(1, A1, X0, at, MIDDLE);
    code[at + 1] = RET;
}

static void change_in_calls(void)
{
    write_caller();
    middle_value = 0;
    for (round_number = 0; round_number < 60; round_number++) {
        const long times = 30 + round_number % 10;
        long wanted = 0;
        int value = middle_value;

        synchronize();
        for (long i = times; i > 0; i--) {
            value = i % 5 == 0 ? (int)(round_number + (unsigned)i) % 1024 : value;
            wanted += value;
        }
        check(((long (*)(long, long, long (*)(long, long)))(code + MIDDLE))(0, times, patch),
              wanted);
    }
    show("in calls");
}

/* A loop that writes one of two instructions, by turns, to the middle of itself, and says so with fence.i. */
static void change_itself(void)
{
    unsigned at = LOOP;

    code[at++] = mask(T1, A1, 7); /* only each eighth time */
    code[at] = branch(1, T1, X0, at, at + 6);
    at++;
    code[at++] = 0x00d64633; /* xor a2, a2, a3 */
    code[at++] = 0x00c72023; /* sw a2, 0(a4) */
    code[at++] = FENCE_I;
    code[at++] = add(A0, A0, 1);
    code[at] = jump(X0, at, at + 1);
    at++;
    const unsigned patched = at;
    code[at++] = add(A0, A0, 5);
    code[at++] = add(A1, A1, -1);
    code[at] = branch(1, A1, X0, at, LOOP);
    at++;
    code[at++] = RET;
    for (round_number = 0; round_number < 20; round_number++) {
        const uint32_t one = add(A0, A0, (int)round_number), two = add(A0, A0, 1000);
        long wanted = 0, step = two == 0 ? 0 : 1000;

        code[patched] = two;
        synchronize();
        for (long i = 100; i > 0; i--) {
            if (i % 8 == 0) {
                wanted++;
                step = step == 1000 ? (long)round_number : 1000;
            }
            wanted += step;
        }
        check(((long (*)(long, long, uint32_t, uint32_t, uint32_t *))(code + LOOP))(
                  0, 100, two, one ^ two, code + patched),
              wanted);
    }
    show("by itself");
}

/* Each is a few blocks: a branch that is always taken, and one that never is. */
static void write_function(unsigned at, int value)
{
    code[at] = branch(0, X0, X0, at, at + 2);
    code[at + 1] = add(A0, A0, 2000);
    code[at + 2] = add(A0, A0, value);
    code[at + 3] = branch(1, X0, X0, at + 3, at + 1);
    code[at + 4] = RET;
}

static void change_behind_pointers(void)
{
    enum { FUNCTIONS = 4, WORDS = 16 };
    long (*volatile functions[FUNCTIONS])(long);
    int values[FUNCTIONS];

    for (unsigned i = 0; i < FUNCTIONS; i++) {
        functions[i] = (long (*)(long))(code + i * WORDS);
        values[i] = (int)i;
        write_function(i * WORDS, values[i]);
    }
    for (round_number = 0; round_number < 200; round_number++) {
        const unsigned one = round_number % FUNCTIONS;
        long got = 0, wanted = 0;

        values[one] = (int)(round_number * 5 % 1500);
        code[one * WORDS + 2] = add(A0, A0, values[one]);
        synchronize();
        for (unsigned i = 0; i < 40; i++) {
            const unsigned choice = round_number % 3 == 0 ? i % FUNCTIONS : round_number % 3;
            got = functions[choice](got);
            wanted += values[choice];
        }
        check(got, wanted);
    }
    show("behind pointers");
}

/* Other memory at the same address; only the middle of the loop is another. */
static void change_mapping(void)
{
    for (round_number = 0; round_number < 60; round_number++) {
        REQUIRE(mmap(code, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == code);
        write_loop();
        code[MIDDLE] = add(A0, A0, (int)round_number);
        synchronize();
        for (long times = 20; times < 24; times++) {
            check(call_loop(0, times), times * (48 + (long)round_number) + (times - times / 4));
        }
        REQUIRE(munmap(code, PAGE) == 0);
    }
    show("by another mapping");
}

int main(void)
{
    code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(code != MAP_FAILED);
    change_between_calls();
    change_in_calls();
    change_itself();
    change_behind_pointers();
    change_mapping();
    return 0;
}
