/* Shows memory of code that is given up and taken again: the end of the heap, advice, parts of mappings, mappings
 * that grow, and pages that a child does not get.  What was there is gone, and what comes there can be written and
 * executed.  qemu-riscv64 7.2 goes on in code that is given up by advice, and does not move mappings of which it has
 * translated a part; hence .expected. */
#include "common.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PAGE 4096
#define ALL (PROT_READ | PROT_WRITE | PROT_EXEC)
#define KIND (MAP_PRIVATE | MAP_ANONYMOUS)
#define ROUNDS 20

static sigjmp_buf back;

static void leave(int number)
{
    siglongjmp(back, number);
}

/* What the function returns, or minus the signal. */
static long call(const char *at)
{
    const int number = sigsetjmp(back, 1);

    return number == 0 ? ((long (*)(void))(uintptr_t)at)() : -number;
}

static void write_function(char *at, unsigned value)
{
    memcpy(at, (uint32_t[]){value << 20 | 10u << 7 | 0x13, 0x00008067}, 8);
    __builtin___clear_cache(at, at + 8);
}

static char *map(size_t pages)
{
    char *memory = mmap(NULL, pages * PAGE, ALL, KIND, -1, 0);

    REQUIRE(memory != MAP_FAILED);
    return memory;
}

/* The heap grows by two pages, which are executed, and shrinks again. */
static void show_heap(void)
{
    const uintptr_t begin = ((uintptr_t)syscall(SYS_brk, 0) + PAGE - 1) / PAGE * PAGE;
    const uintptr_t end = begin + 2 * PAGE;
    char *heap = (char *)begin;
    volatile unsigned wrong = 0;

    for (volatile unsigned i = 0; i < ROUNDS; i++) {
        REQUIRE((uintptr_t)syscall(SYS_brk, end) == end);
        wrong += heap[0] != 0 || heap[2 * PAGE - 1] != 0;
        REQUIRE(mprotect(heap, 2 * PAGE, ALL) == 0);
        write_function(heap, i);
        write_function(heap + PAGE, i + 50);
        wrong += call(heap) != i || call(heap + PAGE) != i + 50;
        REQUIRE((uintptr_t)syscall(SYS_brk, begin) == begin);
    }
    printf("heap: wrong %u\n", wrong);
}

/* Of three pages the middle one goes: by advice, as a hole, under another mapping. */
static void show_middle(void)
{
    volatile unsigned wrong = 0;

    for (volatile unsigned i = 0; i < 3 * ROUNDS; i++) {
        char *pages = map(3);
        char *middle = pages + PAGE;

        for (unsigned page = 0; page < 3; page++) {
            write_function(pages + page * PAGE, i + page);
            wrong += call(pages + page * PAGE) != i + page;
        }
        if (i % 3 == 0) {
            REQUIRE(madvise(middle, PAGE, MADV_DONTNEED) == 0);
            wrong += call(middle) != -SIGILL;
        } else if (i % 3 == 1) {
            REQUIRE(munmap(middle, PAGE) == 0);
            wrong += call(middle) != -SIGSEGV;
            REQUIRE(mmap(middle, PAGE, ALL, KIND | MAP_FIXED, -1, 0) == middle);
        } else {
            REQUIRE(mmap(middle, PAGE, ALL, KIND | MAP_FIXED, -1, 0) == middle);
            wrong += call(middle) != -SIGILL;
        }
        wrong += call(pages) != i || call(pages + 2 * PAGE) != i + 2;
        write_function(middle, i + 100);
        wrong += call(middle) != i + 100;
        /* Also next to it, where nothing happened but the code was executed. */
        write_function(pages, i + 200);
        wrong += call(pages) != i + 200 || call(pages + 2 * PAGE) != i + 2;
        REQUIRE(munmap(pages, 3 * PAGE) == 0);
    }
    printf("the middle of three: wrong %u\n", wrong);
}

/* Mappings that become longer, where they are or elsewhere, and shorter: what is kept stays code. */
static void show_growth(void)
{
    volatile unsigned wrong = 0;

    for (volatile unsigned i = 0; i < ROUNDS; i++) {
        char *room = map(16);
        char *from = room + 2 * PAGE;
        char *to = room + 8 * PAGE;

        REQUIRE(munmap(from + 2 * PAGE, 2 * PAGE) == 0);
        write_function(from, i);
        write_function(from + PAGE, i + 1);
        wrong += call(from) != i || call(from + PAGE) != i + 1;
        REQUIRE(mremap(from, 2 * PAGE, 3 * PAGE, 0) == from);
        wrong += call(from) != i || call(from + PAGE) != i + 1 || call(from + 2 * PAGE) != -SIGILL;
        write_function(from + 2 * PAGE, i + 2);
        REQUIRE(mremap(from, 3 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
        for (unsigned page = 0; page < 3; page++) {
            wrong += call(to + page * PAGE) != i + page || call(from + page * PAGE) != -SIGSEGV;
        }
        for (unsigned page = 0; page < 4; page++) {
            to[page * PAGE + 100] = 1; /* data beside the code, in pages that have moved */
            write_function(to + page * PAGE, i + page + 40);
            wrong += call(to + page * PAGE) != i + page + 40;
        }
        REQUIRE(mremap(to, 4 * PAGE, PAGE, 0) == to);
        wrong += call(to) != i + 40 || call(to + PAGE) != -SIGSEGV;
        REQUIRE(munmap(room, 16 * PAGE) == 0);
    }
    printf("grown and moved: wrong %u\n", wrong);
}

/* A child has zeros there; the parent has its code. */
static void show_not_inherited(void)
{
    char *page = map(1);
    int status = 0;

    write_function(page, 7);
    const long before = call(page);
    REQUIRE(madvise(page, PAGE, MADV_WIPEONFORK) == 0);
    const pid_t child = fork();
    if (child == 0) {
        const long empty = call(page);
        write_function(page, 8);
        _exit(empty == -SIGILL && call(page) == 8 ? 0 : 1);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    printf("emptied in the child: %d, before %ld, after %ld\n", status, before, call(page));
    REQUIRE(munmap(page, PAGE) == 0);
}

int main(void)
{
    REQUIRE(signal(SIGILL, leave) != SIG_ERR && signal(SIGSEGV, leave) != SIG_ERR);
    show_heap();
    show_middle();
    show_growth();
    show_not_inherited();
    return 0;
}
