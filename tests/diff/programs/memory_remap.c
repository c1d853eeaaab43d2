/* Shows mremap: growing, moving with contents, shrinking, to a fixed place, and both at once. */
#include "common.h"
#include <sys/mman.h>

#define PAGE 4096ul

int main(void)
{
    int rw = PROT_READ | PROT_WRITE;
    int kind = MAP_PRIVATE | MAP_ANONYMOUS;
    char *area = mmap(NULL, 16 * PAGE, rw, kind, -1, 0);
    char *place = mmap(NULL, 64 * PAGE, PROT_NONE, kind, -1, 0);
    uint64_t hash = 0;

    REQUIRE(area != MAP_FAILED && place != MAP_FAILED);
    for (size_t i = 0; i < 16 * PAGE; i++) {
        area[i] = (char)(i * i >> 3);
    }
    hash = checksum(CHECKSUM_START, area, 16 * PAGE);
    printf("before %016lx\n", hash);
    area = mremap(area, 16 * PAGE, 256 * PAGE, MREMAP_MAYMOVE);
    REQUIRE(area != MAP_FAILED);
    printf("grown %d, new part %d\n", checksum(CHECKSUM_START, area, 16 * PAGE) == hash,
           area[16 * PAGE] | area[256 * PAGE - 1]);
    area[255 * PAGE] = 7;
    REQUIRE(mremap(area, 256 * PAGE, 20 * PAGE, 0) == area);
    printf("shrunk %d\n", checksum(CHECKSUM_START, area, 16 * PAGE) == hash);
    REQUIRE(mremap(area, 20 * PAGE, 32 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place);
    printf("moved %d, new part %d\n", checksum(CHECKSUM_START, place, 16 * PAGE) == hash,
           place[31 * PAGE]);
    place[31 * PAGE] = 9;
    printf("old place is free: %s\n",
           mremap(area, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED ? error_name(errno) : "no");
    area = mmap(NULL, 16 * PAGE, rw, kind, -1, 0);
    REQUIRE(area != MAP_FAILED);
    area[3 * PAGE] = 5;
    REQUIRE(mremap(area, 16 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place);
    printf("shrunk and moved %d, beyond it %d\n", place[3 * PAGE], place[31 * PAGE]);
    for (size_t i = 0; i < 16; i += 5) {
        printf("page %zu of the old place: %s\n", i,
               mremap(area + i * PAGE, PAGE, PAGE, 0) == MAP_FAILED ? error_name(errno)
                                                                    : "is there");
    }
    printf("unaligned: %s\n",
           mremap(place + 1, PAGE, PAGE, 0) == MAP_FAILED ? error_name(errno) : "no");
    return 0;
}
