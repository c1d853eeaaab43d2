/* Shows pages that take turns in being code and data: as many as the argument says. */
#include "common.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#define PAGE_BYTES 4096

static sigjmp_buf back;
static char *pages;
static size_t count;

static void note(int number)
{
    siglongjmp(back, number);
}

static void protect(size_t first, size_t number, int protection)
{
    REQUIRE(mprotect(pages + first * PAGE_BYTES, number * PAGE_BYTES, protection) == 0);
}

/* What its function returns, or -1 if it cannot be executed. */
static long call(size_t page)
{
    long (*volatile function)(void) = (long (*)(void))(pages + page * PAGE_BYTES);

    return sigsetjmp(back, 1) == 0 ? function() : -1;
}

static void show(const char *title, size_t first, size_t step)
{
    uint64_t hash = CHECKSUM_START;
    unsigned refused = 0;

    for (volatile size_t page = first; page < count; page += step) {
        const long result = call(page);
        refused += result < 0;
        hash = checksum_word(hash, (uint64_t)result);
    }
    printf("%s: %u refused, %016llx\n", title, refused, (unsigned long long)hash);
}

int main(int argc, char **argv)
{
    const int all = PROT_READ | PROT_WRITE | PROT_EXEC;
    uint64_t state = 5;

    REQUIRE(argc == 2);
    count = strtoul(argv[1], NULL, 10);
    pages = mmap(NULL, count * PAGE_BYTES, all, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED && signal(SIGSEGV, note) != SIG_ERR);
    for (size_t page = 0; page < count; page++) {
        uint32_t *code = (uint32_t *)(pages + page * PAGE_BYTES);
        code[0] = (uint32_t)(page % 2048) << 20 | 10u << 7 | 0x13; /* li a0, ... */
        code[1] = 0x00008067;                                      /* ret */
    }
    __builtin___clear_cache(pages, pages + count * PAGE_BYTES);
    for (size_t page = 1; page < count; page += 2) {
        protect(page, 1, PROT_READ);
    }
    show("the even ones", 0, 2);
    show("some", 0, 97);
    for (unsigned i = 0; i < 40; i++) {
        const size_t page = next_random(&state) % (count - 4);
        const size_t number = 1 + next_random(&state) % 4;
        protect(page, number, next_random(&state) % 2 != 0 ? PROT_READ : PROT_READ | PROT_EXEC);
        printf(" %ld %ld %ld %ld\n", call(page), call(page + 1), call(page + 2), call(page + 3));
    }
    show("others", 0, 53);
    protect(0, count, PROT_READ | PROT_EXEC);
    show("all", 0, 1);
    REQUIRE(munmap(pages + 100 * PAGE_BYTES, 700 * PAGE_BYTES) == 0);
    show("with a hole", 0, 31);
    return 0;
}
