/* Bench program that makes its own code, as compilers at run time do: as many items as its argument says,
 * each a small function that is written, or written anew, and called.  What an item costs the program alone
 * does not depend on how many there are. */
#define _DEFAULT_SOURCE
#include "program.h"

#include <sys/mman.h>

#define FUNCTION_WORDS 4u
#define PAGE_BYTES UINT64_C(4096)
#define ITEMS_MAX 10000000ul
#define ROUNDS 3

typedef uint64_t function(void);

static uint32_t *code;
static size_t code_bytes;

static uint32_t *place(size_t number)
{
    return code + number * FUNCTION_WORDS;
}

static uint32_t value_of(size_t item)
{
    return (uint32_t)item * 977u & 0x3fffffff;
}

/* lui a0, ...; addi a0, a0, ...; ret */
static void write_function(uint32_t *at, uint32_t value)
{
    at[0] = ((value + 0x800) & 0xfffff000u) | 10u << 7 | 0x37;
    at[1] = (value & 0xfff) << 20 | 10u << 15 | 10u << 7 | 0x13;
    at[2] = 0x00008067;
}

static void synchronize(void)
{
    __asm__ volatile("fence.i" ::: "memory");
}

static void call(const uint32_t *at, size_t item)
{
    program_check(((function *)(uintptr_t)at)() == value_of(item), "what a function returns");
}

/* One function, whose two instructions are others each time. */
static void rewrite(size_t items)
{
    for (size_t item = 0; item < items; item++) {
        write_function(place(0), value_of(item));
        synchronize();
        call(place(0), item);
    }
}

/* One function behind the other. */
static void append(size_t items)
{
    for (size_t item = 0; item < items; item++) {
        write_function(place(item), value_of(item));
        synchronize();
        call(place(item), item);
    }
}

static void protect(const void *at, size_t bytes, int protection)
{
    char *page = (char *)((uintptr_t)at & -PAGE_BYTES);
    program_check(mprotect(page, bytes, PROT_READ | protection) == 0, "mprotect");
}

/* The same where no page is ever writable and executable at a time. */
static void toggle(size_t items)
{
    protect(code, code_bytes, PROT_EXEC);
    for (size_t item = 0; item < items; item++) {
        protect(place(item), PAGE_BYTES, PROT_WRITE);
        write_function(place(item), value_of(item));
        protect(place(item), PAGE_BYTES, PROT_EXEC);
        synchronize();
        call(place(item), item);
    }
}

/* All are written first, and then called in turn. */
static void calls(size_t items)
{
    for (size_t item = 0; item < items; item++) {
        write_function(place(item), value_of(item));
    }
    synchronize();
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t item = 0; item < items; item++) {
            call(place(item), item);
        }
    }
}

static const struct kind {
    const char *name;
    void (*run)(size_t items);
} kinds[] = {{"rewrite", rewrite}, {"append", append}, {"toggle", toggle}, {"calls", calls}};

int main(int argc, char **argv)
{
    const unsigned long items = argc == 3 ? strtoul(argv[2], NULL, 10) : ITEMS_MAX + 1;

    for (size_t i = 0; items <= ITEMS_MAX && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(argv[1], kinds[i].name) == 0) {
            code_bytes = (items * FUNCTION_WORDS * sizeof *code | (PAGE_BYTES - 1)) + 1;
            code = mmap(NULL, code_bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            program_check(code != MAP_FAILED, "mmap");
            /* Without items, too, so that what the first one costs can be told from the others. */
            synchronize();
            kinds[i].run(items);
            printf("%s %lu\n", argv[1], items);
            return 0;
        }
    }
    fprintf(stderr, "usage: %s rewrite|append|toggle|calls N   (N at most %lu)\n", argv[0],
            ITEMS_MAX);
    return 2;
}
