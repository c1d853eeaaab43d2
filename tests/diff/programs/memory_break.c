/* Shows the program break: growing, zeroed memory, shrinking, growing again. */
#include "common.h"

int main(void)
{
    char *start = sbrk(0);
    char *area = sbrk(100000);
    unsigned any = 0;

    REQUIRE(area == start && (char *)sbrk(0) == start + 100000);
    for (int i = 0; i < 100000; i++) {
        any |= (unsigned char)area[i];
        area[i] = (char)i;
    }
    printf("zeroed %d, contents %016lx\n", any == 0, checksum(CHECKSUM_START, area, 100000));
    REQUIRE(sbrk(-60000) == start + 100000);
    printf("shrunk %ld\n", (long)((char *)sbrk(0) - start));
    REQUIRE(sbrk(60000) == start + 40000);
    printf("kept %016lx\n", checksum(CHECKSUM_START, area, 40000));
    printf("given back page is zero: %d\n", area[90000]);
    printf("below the start: %d, break unchanged %d\n", brk(start - 100000000) != 0,
           (char *)sbrk(0) == start + 100000);
    REQUIRE(brk(start + 5000000) == 0);
    area[4999999] = 3;
    printf("large %d\n", area[4999999] + area[2500000]);
    return 0;
}
