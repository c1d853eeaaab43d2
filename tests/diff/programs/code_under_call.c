/* Shows functions that are changed while they are being called: what is returned to, jumped to, linked
 * to or called through a pointer is the new code, at every depth. */
#include "common.h"
#include <sys/mman.h>

#define PAGE 4096
#define DEPTH 12
#define A0 10u

static uint32_t *code;
static unsigned round_number;
static unsigned depth;

static uint32_t add(unsigned value)
{
    return value << 20 | A0 << 15 | A0 << 7 | 0x13;
}

/* j or jal from `at` words to `to` words. */
static uint32_t jump(unsigned link, unsigned at, unsigned to)
{
    const uint32_t offset = (to - at) * 4;

    return (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3ff) << 21 | (offset >> 11 & 1) << 20 |
           (offset >> 12 & 0xff) << 12 | link << 7 | 0x6f;
}

static void synchronize(void)
{
    if (round_number % 2 == 0) {
        __asm__ volatile("fence.i" ::: "memory");
    } else {
        __builtin___clear_cache((char *)code, (char *)code + PAGE);
    }
}

/* addi sp, sp, -16; sd ra, 0(sp); jalr a1; addi a0, a0, N; ld ra, 0(sp); addi sp, sp, 16; ret */
static void write_caller(unsigned at, unsigned value)
{
    const uint32_t words[] = {0xff010113, 0x00113023, 0x000580e7, add(value),
                              0x00013083, 0x01010113, 0x00008067};

    memcpy(code + at, words, sizeof(words));
}

static long descend(long value);

static long call(long value)
{
    return ((long (*)(long, long (*)(long)))code)(value, descend);
}

/* At the bottom the caller, which stands on the stack DEPTH times, becomes another; and once more on
 * the way up. */
static long descend(long value)
{
    if (depth == 0) {
        code[3] = add(round_number + 1);
        synchronize();
        return value;
    }
    depth--;
    value = call(value);
    if (++depth == DEPTH / 2) {
        code[3] = add(round_number + 100);
        synchronize();
    }
    return value;
}

static void show_returns(void)
{
    uint64_t hash = CHECKSUM_START;
    unsigned wrong = 0;

    write_caller(0, 7);
    synchronize();
    for (round_number = 0; round_number < 100; round_number++) {
        const long wanted = (DEPTH / 2 + 0L) * (round_number + 1) +
                            (DEPTH + 1 - DEPTH / 2 + 0L) * (round_number + 100);

        depth = DEPTH;
        const long got = call(0);
        wrong += got != wanted;
        hash = checksum_word(hash, (uint64_t)got);
    }
    printf("returns: wrong %u, %016lx\n", wrong, hash);
}

/* A chain of direct jumps, of which a link in the middle is changed, also where it goes. */
static void show_links(void)
{
    uint64_t hash = CHECKSUM_START;

    code[0] = add(1);
    code[1] = jump(0, 1, 100);
    code[100] = add(2);
    code[101] = jump(0, 101, 200);
    code[200] = add(4);
    code[201] = 0x00008067;
    code[300] = add(8);
    code[301] = jump(0, 301, 200);
    for (round_number = 0; round_number < 200; round_number++) {
        switch (round_number % 4) {
        case 0:
            code[100] = add(round_number);
            break;
        case 1:
            code[101] = jump(0, 101, round_number % 8 == 1 ? 300 : 200);
            break;
        case 2:
            code[200] = add(round_number);
            break;
        default:
            code[1] = jump(0, 1, round_number % 8 == 3 ? 300 : 100);
            break;
        }
        synchronize();
        for (int i = 0; i < 3; i++) {
            hash = checksum_word(hash, (uint64_t)((long (*)(long))code)(0));
        }
    }
    printf("links: %016lx\n", hash);
}

/* Two pointers that are called by turns from one place, so that a lookup knows both. */
static void show_pointers(void)
{
    uint64_t hash = CHECKSUM_START;
    long (*volatile functions[2])(long) = {(long (*)(long))code, (long (*)(long))(code + 600)};

    code[1] = code[601] = 0x00008067;
    for (round_number = 0; round_number < 200; round_number++) {
        code[0] = add(round_number);
        code[600] = add(2 * round_number);
        synchronize();
        for (int i = 0; i < 6; i++) {
            hash = checksum_word(hash, (uint64_t)functions[i % 2](i));
        }
        code[600] = add(3 * round_number);
        synchronize();
        for (int i = 0; i < 6; i++) {
            hash = checksum_word(hash, (uint64_t)functions[i % 2](i));
        }
    }
    printf("pointers: %016lx\n", hash);
}

/* The same bytes written again change nothing; others for a moment, without a call, neither. */
static void show_unchanged(void)
{
    uint64_t hash = CHECKSUM_START;

    code[0] = add(5);
    code[1] = 0x00008067;
    for (round_number = 0; round_number < 100; round_number++) {
        code[0] = add(round_number % 3 == 0 ? 9 : 5);
        synchronize();
        code[0] = add(5);
        synchronize();
        hash = checksum_word(hash, (uint64_t)((long (*)(long))code)(round_number));
    }
    printf("unchanged: %016lx\n", hash);
}

int main(void)
{
    code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(code != MAP_FAILED);
    show_returns();
    show_links();
    show_pointers();
    show_unchanged();
    return 0;
}
