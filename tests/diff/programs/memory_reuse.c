/* Shows that addresses that were given back are given out again.  qemu-riscv64 7.2 goes on behind the last ones:
 * hence .expected. */
#include "common.h"
#include <sys/mman.h>

#define PAGE 4096ul

static char *map(size_t pages)
{
    char *area =
        mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(area != MAP_FAILED);
    return area;
}

int main(void)
{
    char *first = map(4), *second = map(1), *third = map(1);

    printf("one below the other: %d\n", second < first && third < second);
    REQUIRE(munmap(first, 4 * PAGE) == 0);
    printf("all of it again: %d\n", map(4) == first);
    REQUIRE(munmap(first, 2 * PAGE) == 0);
    printf("its lower half: %d\n", map(2) == first);
    REQUIRE(munmap(first + 2 * PAGE, 2 * PAGE) == 0);
    printf("its upper half: %d\n", map(2) == first + 2 * PAGE);
    REQUIRE(munmap(second, PAGE) == 0);
    printf("too little room for two: %d\n", map(2) != second - PAGE);
    printf("enough for one: %d\n", map(1) == second);
    return 0;
}
