/* Shows pages that hold both code and data that is written all the time: by each kind of store, by the code
 * itself, over the ends of pages, and by several threads.  The code does not change. */
#include "common.h"
#include <pthread.h>
#include <sys/mman.h>

#define PAGE 4096
#define DATA_AT 1024
#define TURNS 3000
#define THREADS 4

extern char stores_start[];
extern char stores_end[];
extern char value_start[];
extern char value_end[];

/* stores: a0 is the data, a1 the number of turns, a2 what is written; each kind of store has its own place, and
 * what it wrote is added up.  sp stands among the data for the stores that need it. */
__asm__(".section .rodata\n"
        ".balign 8\n"
        ".option push\n"
        ".option arch, +c\n"
        "stores_start:\n"
        "    mv t6, sp\n"
        "    mv sp, a0\n"
        "    mv a3, a0\n"
        "    li a0, 0\n"
        "1:  sb a2, 0(a3)\n"
        "    lbu t0, 0(a3)\n"
        "    add a0, a0, t0\n"
        "    sh a2, 2(a3)\n"
        "    sw a2, 4(a3)\n"
        "    sd a2, 8(a3)\n"
        "    ld t0, 0(a3)\n"
        "    xor a0, a0, t0\n"
        "    c.sw a2, 16(a3)\n"
        "    c.sd a2, 24(a3)\n"
        "    c.swsp a2, 32(sp)\n"
        "    c.sdsp a2, 40(sp)\n"
        "    ld t0, 24(a3)\n"
        "    ld t1, 40(a3)\n"
        "    add a0, a0, t0\n"
        "    add a0, a0, t1\n"
        "    fcvt.s.l fa0, a2\n"
        "    fsw fa0, 48(a3)\n"
        "    fcvt.d.l fa0, a2\n"
        "    fsd fa0, 56(a3)\n"
        "    c.fsd fa0, 64(a3)\n"
        "    c.fsdsp fa0, 72(sp)\n"
        "    ld t0, 72(a3)\n"
        "    xor a0, a0, t0\n"
        "    addi t0, a3, 80\n"
        "    amoadd.w t1, a2, (t0)\n"
        "    add a0, a0, t1\n"
        "    addi t0, a3, 88\n"
        "    amoxor.d t1, a2, (t0)\n"
        "    xor a0, a0, t1\n"
        "    amomax.d t1, a2, (t0)\n"
        "    amoswap.d.aqrl t1, a0, (t0)\n"
        "    add a0, a0, t1\n"
        "    addi t0, a3, 96\n"
        "2:  lr.d t1, (t0)\n"
        "    add t1, t1, a2\n"
        "    sc.d t2, t1, (t0)\n"
        "    bnez t2, 2b\n"
        "    addi t0, a3, 104\n"
        "3:  lr.w t1, (t0)\n"
        "    xor t1, t1, a2\n"
        "    sc.w t2, t1, (t0)\n"
        "    bnez t2, 3b\n"
        "    slli t1, t1, 3\n"
        "    add a0, a0, t1\n"
        "    sw a2, 113(a3)\n" /* not aligned */
        "    sd a0, 123(a3)\n"
        "    addi a2, a2, 7\n"
        "    slli t0, a2, 13\n"
        "    xor a2, a2, t0\n"
        "    addi a1, a1, -1\n"
        "    bnez a1, 1b\n"
        "    mv sp, t6\n"
        "    ret\n"
        "stores_end:\n"
        "value_start:\n"
        "    addi a0, a0, 3\n"
        "    ret\n"
        "value_end:\n"
        ".option pop\n"
        ".text\n");

typedef uint64_t stores(char *data, uint64_t turns, uint64_t value);
typedef uint64_t function(uint64_t value);

/* Two pages, each with the function `value` at its end. */
static char *map_pages(void)
{
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(pages != MAP_FAILED);
    for (int page = 1; page <= 2; page++) {
        memcpy(pages + page * PAGE - 64, value_start, (size_t)(value_end - value_start));
    }
    __builtin___clear_cache(pages, pages + 2 * PAGE);
    return pages;
}

static uint64_t call(const char *pages, int page, uint64_t value)
{
    return ((function *)(uintptr_t)(pages + (page + 1) * PAGE - 64))(value);
}

/* Code that writes beside itself: in the whole run, and turn by turn. */
static void show_own_stores(void)
{
    for (uint64_t turns = 1; turns <= TURNS; turns *= TURNS) {
        char *pages = map_pages();
        uint64_t hash = CHECKSUM_START;

        memcpy(pages, stores_start, (size_t)(stores_end - stores_start));
        __builtin___clear_cache(pages, pages + PAGE);
        for (uint64_t i = 0; i < TURNS / turns; i++) {
            hash = checksum_word(hash, ((stores *)pages)(pages + DATA_AT, turns, i * 12345 + 1));
        }
        hash = checksum(hash, pages + DATA_AT, 256);
        printf("by itself, %lu turns in a call: %016lx\n", turns, hash);
        REQUIRE(munmap(pages, 2 * PAGE) == 0);
    }
}

/* Code elsewhere writes, as often as `burst`, then the code here is called. */
static void show_bursts(int burst)
{
    char *pages = map_pages();
    volatile uint64_t *data = (volatile uint64_t *)(void *)(pages + DATA_AT);
    uint64_t sum = 0;

    for (int i = 0; i < 2 * TURNS; i += burst) {
        for (int j = 0; j < burst; j++) {
            data[j % 50] += (uint64_t)i * 3 + (uint64_t)j;
        }
        sum = call(pages, 0, sum) + data[i % 50];
    }
    printf("%d stores for each call: %lu, %016lx\n", burst, sum,
           checksum(CHECKSUM_START, pages + DATA_AT, 400));
    REQUIRE(munmap(pages, 2 * PAGE) == 0);
}

/* Words that lie in two pages, of which the first, the second or both were executed. */
static void show_over_the_end(void)
{
    for (int executed = 1; executed <= 3; executed++) {
        char *pages = map_pages();
        uint64_t sum = 0;

        for (uint64_t i = 0; i < 700; i++) {
            char *at = pages + PAGE - 1 - i % 7;
            const uint64_t word = i * UINT64_C(0x9e3779b97f4a7c15);
            uint64_t back = 0;

            if ((executed & 1) != 0) {
                sum = call(pages, 0, sum);
            }
            if ((executed & 2) != 0) {
                sum = call(pages, 1, sum);
            }
            __asm__ volatile("sd %2, 0(%1)\nld %0, 0(%1)\n"
                             : "=r"(back)
                             : "r"(at), "r"(word)
                             : "memory");
            sum = sum * 5 + back + (unsigned char)pages[PAGE - 9] + (unsigned char)pages[PAGE + 9];
        }
        printf("over the end, %d: %016lx\n", executed, sum);
        REQUIRE(munmap(pages, 2 * PAGE) == 0);
    }
}

/* Nothing is lost where some add, some swap, and all execute the code between. */
static char *shared;

static void *add_up(void *number)
{
    uint64_t *counts = (uint64_t *)(void *)(shared + DATA_AT);
    const uint64_t self = (uint64_t)number;
    unsigned char *own = (unsigned char *)counts + 64 + self; /* in one word with those of others */
    uint64_t wrong = 0;

    for (uint64_t i = 0; i < TURNS; i++) {
        __atomic_fetch_add(&counts[0], i, __ATOMIC_RELAXED);
        uint64_t old = __atomic_load_n(&counts[1], __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(&counts[1], &old, old + self + 1, 1, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED)) {
        }
        *(volatile unsigned char *)own += 1;
        if (i % 8 == self) {
            wrong += call(shared, 0, i) != i + 3;
        }
    }
    return (void *)wrong;
}

static void show_threads(void)
{
    pthread_t threads[THREADS];
    void *wrong = NULL;

    shared = map_pages();
    for (uint64_t i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, add_up, (void *)i) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], &wrong) == 0);
        printf("thread %d: wrong %lu, own %u\n", i, (uint64_t)wrong,
               (unsigned char)shared[DATA_AT + 64 + i]);
    }
    const uint64_t *counts = (const uint64_t *)(const void *)(shared + DATA_AT);
    printf("together: %lu %lu\n", counts[0], counts[1]);
}

int main(void)
{
    show_own_stores();
    show_bursts(1);
    show_bursts(3);
    show_bursts(200);
    show_over_the_end();
    show_threads();
    return 0;
}
