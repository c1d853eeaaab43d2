/* Shows mapped files: private copies, shared writes, offsets, the zeros after the end, msync. */
#include "common.h"
#include <fcntl.h>
#include <sys/mman.h>

#define PAGE 4096

int main(void)
{
    char buffer[16] = "";
    int file = open("data", O_CREAT | O_RDWR, 0600);
    char *shared = NULL;
    char *private = NULL;
    char *second = NULL;

    for (int i = 0; i < 2500; i++) {
        REQUIRE(dprintf(file, "%04d", i) == 4);
    }
    shared = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    private = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    second = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, PAGE);
    REQUIRE(shared != MAP_FAILED && private != MAP_FAILED && second != MAP_FAILED);
    printf("contents %016lx\n", checksum(CHECKSUM_START, shared, 10000));
    printf("second page %.8s\n", second);
    printf("after the end %d\n", shared[10000] | shared[12287]);
    memcpy(shared + 100, "SHARED", 6);
    memcpy(private + 200, "PRIVATE", 7);
    REQUIRE(pread(file, buffer, 6, 100) == 6);
    printf("file sees %s\n", buffer);
    memset(buffer, 0, sizeof(buffer));
    REQUIRE(pread(file, buffer, 7, 200) == 7);
    printf("file does not see %s, copy is %.7s\n", buffer, private + 200);
    printf("unwritten page of the copy follows the file: ");
    memcpy(shared + PAGE + 8, "later", 5);
    printf("%.5s\n", second + 8);
    REQUIRE(pwrite(file, "written", 7, 8000) == 7);
    printf("mapping sees %.7s\n", shared + 8000);
    printf("msync %s", outcome(msync(shared, 10000, MS_SYNC)));
    printf(" %s", outcome(msync(shared, 10000, MS_ASYNC)));
    printf(" %s\n", outcome(msync(shared + 1, 100, MS_SYNC)));
    REQUIRE(close(file) == 0 && munmap(private, 10000) == 0);
    printf("usable after close %016lx\n", checksum(CHECKSUM_START, shared, 10000));
    file = open("data", O_RDONLY);
    printf("shared writing of a read-only file: %d",
           mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, file, 0) == MAP_FAILED);
    printf(" %s\n", error_name(errno));
    printf("unaligned offset: %d",
           mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, 100) == MAP_FAILED);
    printf(" %s\n", error_name(errno));
    return 0;
}
