/* Shows code that is written through another address than it is executed at, in the same process. */
#include "silent.h"

#define ROUNDS 100

static char *map(int file, int protection)
{
    char *page = mmap(NULL, PAGE, protection, MAP_SHARED, file, 0);

    REQUIRE(page != MAP_FAILED);
    return page;
}

static int make_file(void)
{
    const int file = memfd_create("code", 0);

    REQUIRE(file >= 0 && ftruncate(file, PAGE) == 0);
    return file;
}

/* As compilers do that keep their code unwritable. */
static void show_two(void)
{
    const int file = make_file();
    char *written = map(file, PROT_READ | PROT_WRITE), *executed = map(file, PROT_READ | PROT_EXEC);
    unsigned wrong = 0;

    for (unsigned i = 0; i < ROUNDS; i++) {
        const size_t place = i % 7 * 500;

        write_function(written + place, i);
        say_it();
        wrong += call(executed + place) != i;
        wrong += call(executed + place) != i;
    }
    printf("two addresses: wrong %u\n", wrong);
}

/* The second address is made after the code was executed; both may be written to and executed. */
static void show_later(void)
{
    unsigned wrong = 0;

    for (unsigned i = 0; i < ROUNDS; i++) {
        const int file = make_file();
        char *first = map(file, ALL);

        write_function(first, i);
        say_it();
        wrong += call(first) != i;
        char *second = map(file, ALL);
        wrong += call(second) != i;
        write_function(second, i + 1);
        say_it();
        wrong += call(first) != i + 1 || call(second) != i + 1;
        write_function(first, i + 2);
        say_it();
        wrong += call(first) != i + 2 || call(second) != i + 2;
        REQUIRE(munmap(first, PAGE) == 0 && munmap(second, PAGE) == 0 && close(file) == 0);
    }
    printf("another one later: wrong %u\n", wrong);
}

/* A call writes through it. */
static void show_read(void)
{
    const int file = make_file();
    char *written = map(file, PROT_READ | PROT_WRITE), *executed = map(file, PROT_READ | PROT_EXEC);
    unsigned wrong = 0;
    char words[8];
    int ends[2];

    REQUIRE(pipe(ends) == 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        write_function(words, i);
        REQUIRE(write(ends[1], words, 8) == 8);
        wrong += read(ends[0], written, 8) != 8;
        say_it();
        wrong += call(executed) != i;
    }
    printf("read: wrong %u\n", wrong);
}

int main(void)
{
    show_two();
    show_later();
    show_read();
    return 0;
}
