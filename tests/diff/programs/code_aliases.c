/* Shows code that has several addresses: mapped again after it was executed, with an offset,
 * written through one address and executed through others, from a file that a private mapping shares until it is
 * written to, and where an alias goes away.  Each change is followed by fence.i.
 * qemu-riscv64 7.2 does not see writes through another mapping; hence .expected. */
#include "common.h"
#include <fcntl.h>
#include <sys/mman.h>

#define PAGE 4096
#define ALL (PROT_READ | PROT_WRITE | PROT_EXEC)
#define EXECUTED (PROT_READ | PROT_EXEC)
#define ROUNDS 40

static void write_function(char *at, unsigned value)
{
    memcpy(at, (uint32_t[]){value << 20 | 10u << 7 | 0x13, 0x00008067}, 8);
}

static long call(const char *at)
{
    return ((long (*)(void))(uintptr_t)at)();
}

static void synchronize(unsigned round)
{
    if (round % 2 == 0) {
        __asm__ volatile("fence.i" ::: "memory");
    } else {
        __builtin___clear_cache(NULL, NULL);
    }
}

static int make_file(size_t pages)
{
    const int file = memfd_create("code", 0);

    REQUIRE(file >= 0 && ftruncate(file, (off_t)(pages * PAGE)) == 0);
    return file;
}

static char *map(int file, size_t page, size_t pages, int protection, int kind)
{
    char *memory = mmap(NULL, pages * PAGE, protection, kind, file, (off_t)(page * PAGE));

    REQUIRE(memory != MAP_FAILED);
    return memory;
}

/* The alias did not exist when the code was executed first. */
static void show_later(void)
{
    unsigned wrong = 0;

    for (unsigned i = 0; i < ROUNDS; i++) {
        const int file = make_file(1);
        char *first = map(file, 0, 1, ALL, MAP_SHARED);

        write_function(first, i);
        synchronize(i);
        wrong += call(first) != i;
        char *second = map(file, 0, 1, PROT_READ | PROT_WRITE, MAP_SHARED);
        write_function(second, i + 500);
        synchronize(i);
        wrong += call(first) != i + 500;
        write_function(first, i + 700);
        synchronize(i);
        wrong += call(first) != i + 700 || memcmp(first, second, PAGE) != 0;
        REQUIRE(munmap(first, PAGE) == 0 && munmap(second, PAGE) == 0 && close(file) == 0);
    }
    printf("mapped later: wrong %u\n", wrong);
}

/* All three may be written to and executed; the second begins one page later. */
static void show_three(void)
{
    const int file = make_file(3);
    char *views[3] = {map(file, 0, 3, ALL, MAP_SHARED), map(file, 1, 2, ALL, MAP_SHARED) - PAGE,
                      map(file, 0, 3, ALL, MAP_SHARED)};
    unsigned wrong = 0;

    for (unsigned i = 0; i < 3 * ROUNDS; i++) {
        /* Within a page, and over the end of one. */
        const size_t place = i % 2 == 0 ? PAGE + (size_t)i % 64 * 32 : (size_t)2 * PAGE - 4;

        write_function(views[i % 3] + place, i);
        synchronize(i);
        for (unsigned j = 0; j < 3; j++) {
            wrong += call(views[(i + j) % 3] + place) != i;
        }
    }
    printf("three addresses: wrong %u\n", wrong);
    REQUIRE(munmap(views[0], 3 * PAGE) == 0 && munmap(views[1] + PAGE, 2 * PAGE) == 0);
    REQUIRE(munmap(views[2], 3 * PAGE) == 0 && close(file) == 0);
}

/* Until the program writes to its private pages, what is written to the file is there. */
static void show_private(void)
{
    const int file = make_file(1);
    char *shared = map(file, 0, 1, PROT_READ | PROT_WRITE, MAP_SHARED);
    unsigned wrong = 0;

    for (unsigned i = 0; i < ROUNDS; i++) {
        write_function(shared, 1);
        char *private = map(file, 0, 1, ALL, MAP_PRIVATE);
        synchronize(i);
        wrong += call(private) != 1;
        write_function(shared, i + 10);
        synchronize(i);
        wrong += call(private) != i + 10;
        private[PAGE - 1] = 1;
        write_function(shared, i + 20);
        synchronize(i);
        wrong += call(private) != i + 10;
        write_function(private, i + 30);
        synchronize(i);
        wrong += call(private) != i + 30;
        REQUIRE(munmap(private, PAGE) == 0);
    }
    printf("private: wrong %u\n", wrong);
    REQUIRE(munmap(shared, PAGE) == 0 && close(file) == 0);
}

/* What was the writable alias is ordinary memory from then on; and the other way round. */
static void show_gone(void)
{
    const int file = make_file(2);
    char *code = map(file, 0, 1, EXECUTED, MAP_SHARED);
    char *alias = map(file, 0, 1, PROT_READ | PROT_WRITE, MAP_SHARED);
    const int fixed = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS;
    unsigned wrong = 0;

    for (unsigned i = 0; i < ROUNDS; i++) {
        write_function(alias, i);
        synchronize(i);
        wrong += call(code) != i;
        REQUIRE(mmap(alias, PAGE, PROT_READ | PROT_WRITE, fixed, -1, 0) == alias);
        write_function(alias, 999);
        synchronize(i);
        wrong += call(code) != i;
        /* Another page of the file, executed at the same address. */
        REQUIRE(mmap(code, PAGE, EXECUTED, MAP_FIXED | MAP_SHARED, file, PAGE) == code);
        REQUIRE(mmap(alias, PAGE, ALL, MAP_FIXED | MAP_SHARED, file, PAGE) == alias);
        write_function(alias, i + 100);
        synchronize(i);
        wrong += call(code) != i + 100;
        REQUIRE(mmap(code, PAGE, EXECUTED, MAP_FIXED | MAP_SHARED, file, 0) == code);
        wrong += call(code) != i;
        REQUIRE(mmap(alias, PAGE, ALL, MAP_FIXED | MAP_SHARED, file, 0) == alias);
    }
    printf("gone: wrong %u\n", wrong);
    REQUIRE(munmap(code, PAGE) == 0 && munmap(alias, PAGE) == 0 && close(file) == 0);
}

/* System calls write through the alias: into memory, and into the file behind it. */
static void show_calls(void)
{
    const int file = make_file(1);
    char *code = map(file, 0, 1, EXECUTED, MAP_SHARED);
    char *alias = map(file, 0, 1, PROT_READ | PROT_WRITE, MAP_SHARED);
    char words[8];
    unsigned wrong = 0;
    int ends[2];

    REQUIRE(pipe(ends) == 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        write_function(words, i + 3);
        REQUIRE(write(ends[1], words, 8) == 8 && read(ends[0], alias, 8) == 8);
        synchronize(i);
        wrong += call(code) != i + 3;
        write_function(words, i + 5);
        REQUIRE(pwrite(file, words, 8, 0) == 8);
        synchronize(i);
        wrong += call(code) != i + 5;
    }
    printf("calls: wrong %u\n", wrong);
    REQUIRE(munmap(code, PAGE) == 0 && munmap(alias, PAGE) == 0 && close(file) == 0);
}

int main(void)
{
    show_later();
    show_three();
    show_private();
    show_gone();
    show_calls();
    return 0;
}
