/* Shows a sparse mapping of 8 GB: only touched pages count, all of it is addressable. */
#include "common.h"
#include <sys/mman.h>

#define SIZE (8ul << 30)

int main(void)
{
    char *area = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uint64_t state = 4242;
    uint64_t hash = CHECKSUM_START;
    uint64_t places[500];

    REQUIRE(area != MAP_FAILED);
    for (int i = 0; i < 500; i++) {
        places[i] = next_random(&state) % (SIZE / 8) * 8;
        *(uint64_t *)(area + places[i]) = next_random(&state);
    }
    for (int i = 499; i >= 0; i--) {
        hash = checksum_word(hash, *(uint64_t *)(area + places[i]));
        hash = checksum_word(hash, *(uint64_t *)(area + (places[i] ^ 2048)));
    }
    area[SIZE - 1] = 1;
    printf("contents %016lx, ends %d %d\n", hash, area[0], area[SIZE - 1]);
    REQUIRE(munmap(area, SIZE) == 0);
    return 0;
}
