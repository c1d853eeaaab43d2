/* Shows madvise: pages given back read as zeros, file pages read as the file, other advice is
 * kept. */
#include "common.h"
#include <fcntl.h>
#include <sys/mman.h>

#define PAGE 4096ul

int main(void)
{
    int rw = PROT_READ | PROT_WRITE;
    char *area = mmap(NULL, 8 * PAGE, rw, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int file = open("data", O_CREAT | O_RDWR, 0600);
    char *mapped = NULL;

    REQUIRE(area != MAP_FAILED && file >= 0 && ftruncate(file, 4096) == 0);
    REQUIRE(pwrite(file, "file", 4, 0) == 4);
    mapped = mmap(NULL, PAGE, rw, MAP_PRIVATE, file, 0);
    REQUIRE(mapped != MAP_FAILED);
    memset(area, 'x', 8 * PAGE);
    memcpy(mapped, "copy", 4);
    printf("dontneed %s", outcome(madvise(area + 2 * PAGE, 2 * PAGE, MADV_DONTNEED)));
    printf(": %d %d %d %d\n", area[2 * PAGE - 1], area[2 * PAGE], area[4 * PAGE - 1],
           area[4 * PAGE]);
    printf("willneed %s\n", outcome(madvise(area, 8 * PAGE, MADV_WILLNEED)));
    printf("sequential %s\n", outcome(madvise(area, 8 * PAGE, MADV_SEQUENTIAL)));
    printf("kept %d\n", area[0]);
    printf("copy %.4s", mapped);
    REQUIRE(madvise(mapped, PAGE, MADV_DONTNEED) == 0);
    printf(", then %.4s\n", mapped);
    printf("unaligned %s\n", outcome(madvise(area + 1, PAGE, MADV_DONTNEED)));
    return 0;
}
