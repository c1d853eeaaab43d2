/* Shows anonymous mappings: zeroed, separate, partly unmapped, hints, errors. */
#include "common.h"
#include <sys/mman.h>

#define PAGE 4096ul

int main(void)
{
    int rw = PROT_READ | PROT_WRITE;
    int private = MAP_PRIVATE | MAP_ANONYMOUS;
    uint64_t hash = CHECKSUM_START;
    char *a = mmap(NULL, 64 * PAGE, rw, private, -1, 0);
    char *b = mmap(NULL, 64 * PAGE, rw, private, -1, 0);
    unsigned any = 0;

    REQUIRE(a != MAP_FAILED && b != MAP_FAILED);
    printf("aligned %d, apart %d\n", (uintptr_t)a % PAGE == 0,
           a + 64 * PAGE <= b || b + 64 * PAGE <= a);
    for (size_t i = 0; i < 64 * PAGE; i++) {
        any |= (unsigned char)a[i];
        a[i] = (char)(i * 7);
    }
    printf("zeroed %d\n", any == 0);
    REQUIRE(munmap(a + 16 * PAGE, 8 * PAGE) == 0);
    hash = checksum(hash, a, 16 * PAGE);
    hash = checksum(hash, a + 24 * PAGE, 40 * PAGE);
    printf("rest kept %016lx\n", hash);
    REQUIRE(mmap(a + 16 * PAGE, 8 * PAGE, rw, private | MAP_FIXED, -1, 0) == a + 16 * PAGE);
    any = 0;
    for (size_t i = 16 * PAGE; i < 24 * PAGE; i++) {
        any |= (unsigned char)a[i];
    }
    printf("hole is zero again %d\n", any == 0);
    REQUIRE(mmap(a, PAGE, rw, private | MAP_FIXED, -1, 0) == a);
    printf("replaced: %d %d\n", a[100], a[PAGE + 100]);
    printf("unmapping nothing: %s\n", outcome(munmap(b + 64 * PAGE, 0)));
    printf("unaligned: %s\n", outcome(munmap(b + 1, PAGE)));
    printf("twice: %s", outcome(munmap(b, 64 * PAGE)));
    printf(" %s\n", outcome(munmap(b, 64 * PAGE)));
    printf("no length: %d", mmap(NULL, 0, rw, private, -1, 0) == MAP_FAILED);
    printf(" %s\n", error_name(errno));
    printf("no kind: %d", mmap(NULL, PAGE, rw, MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    printf(" %s\n", error_name(errno));
    printf("too long: %d\n", mmap(NULL, 1ul << 60, rw, private, -1, 0) == MAP_FAILED);
    return 0;
}
