/* Shows straight code that goes on over the end of a page: each of its instructions is changed in turn, wherever
 * the page ends, and the change is there after fence.i. */
#include "common.h"
#include <sys/mman.h>

#define PAGE 4096
#define LENGTH 24

/* addi a0, a0, N; the short one, too, of which two fill a word. */
static uint32_t add(unsigned value)
{
    return value << 20 | 10u << 15 | 10u << 7 | 0x13;
}

static uint32_t add_twice(unsigned first, unsigned second)
{
    return (0x0501u | second << 2) << 16 | 0x0501u | first << 2;
}

/* What the function returns for 0 is the sum of its instructions. */
static void show(char *pages, size_t before, const char *kind, uint32_t old, uint32_t changed,
                 long difference)
{
    char *place = pages + PAGE - before;
    long (*function)(long) = (long (*)(long))place;
    unsigned wrong = 0;

    for (size_t i = 0; i < LENGTH; i++) {
        memcpy(place + 4 * i, &old, 4);
    }
    memcpy(place + (size_t)4 * LENGTH, (uint32_t[]){0x00008067}, 4);
    __asm__ volatile("fence.i" ::: "memory");
    long wanted = function(0);
    for (size_t i = 0; i < LENGTH; i++) {
        memcpy(place + 4 * i, &changed, 4);
        __asm__ volatile("fence.i" ::: "memory");
        wanted += difference;
        wrong += function(0) != wanted;
    }
    printf("%zu bytes before the end, %s: wrong %u, %ld\n", before, kind, wrong, function(0));
}

int main(void)
{
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(pages != MAP_FAILED);
    for (size_t before = 0; before <= (size_t)4 * LENGTH + 4; before += 2) {
        show(pages, before, "long", add(1), add(100), 99);
        show(pages, before, "short", add_twice(1, 2), add_twice(7, 9), 13);
    }
    return 0;
}
