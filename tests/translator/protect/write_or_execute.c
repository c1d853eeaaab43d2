/* Shows functions in pages that are writable or executable, but never both: opened, written and closed for each. */
#include "silent.h"

#define PAGES 3
#define FUNCTIONS 300
#define WRITTEN (PROT_READ | PROT_WRITE)
#define EXECUTED (PROT_READ | PROT_EXEC)

static char *pages;

static void protect(int protection)
{
    REQUIRE(mprotect(pages, PAGES * PAGE, protection) == 0);
}

static char *place(unsigned number)
{
    return pages + number * 40;
}

int main(void)
{
    unsigned wrong = 0;

    pages = map_pages(PAGES);
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        protect(WRITTEN);
        write_function(place(i), i);
        write_function(place(i / 2), i + 500); /* one that was executed before */
        protect(EXECUTED);
        say_it();
        wrong += call(place(i)) != i + (i / 2 == i ? 500 : 0);
        wrong += call(place(i / 2)) != i + 500;
        wrong += call(place(i / 3)) != (i / 3 == i / 2 ? i + 500 : 2 * (i / 3) + 501);
    }
    printf("wrong %u\n", wrong);
    return 0;
}
