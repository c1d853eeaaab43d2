/* Shows seeking, holes and truncation: sizes, zeros in holes, errors. */
#include "common.h"
#include <fcntl.h>
#include <sys/stat.h>

static long size_of(int file)
{
    struct stat status;

    REQUIRE(fstat(file, &status) == 0);
    return (long)status.st_size;
}

int main(void)
{
    char buffer[64];
    uint64_t hash = CHECKSUM_START;
    int file = open("data", O_CREAT | O_RDWR, 0600);
    int ends[2];

    REQUIRE(file >= 0 && pipe(ends) == 0);
    for (long offset = 0; offset < 5; offset++) {
        REQUIRE(lseek(file, offset * 100000, SEEK_SET) == offset * 100000);
        REQUIRE(write(file, "mark", 4) == 4);
    }
    printf("size %ld\n", size_of(file));
    REQUIRE(ftruncate(file, 250000) == 0);
    printf("shorter %ld, offset %ld\n", size_of(file), (long)lseek(file, 0, SEEK_CUR));
    REQUIRE(ftruncate(file, 300100) == 0);
    printf("longer %ld, end %ld\n", size_of(file), (long)lseek(file, 0, SEEK_END));
    REQUIRE(lseek(file, 0, SEEK_SET) == 0);
    for (ssize_t got = 0; (got = read(file, buffer, sizeof(buffer))) > 0;) {
        hash = checksum(hash, buffer, (size_t)got);
    }
    printf("contents %016lx\n", hash);
    printf("before the start: %s\n", outcome(lseek(file, -1, SEEK_SET)));
    printf("backwards from the end: %ld\n", (long)lseek(file, -100, SEEK_END));
    printf("bad whence: %s\n", outcome(lseek(file, 0, 99)));
    printf("in a pipe: %s\n", outcome(lseek(ends[0], 0, SEEK_CUR)));
    printf("negative length: %s\n", outcome(ftruncate(file, -1)));
    REQUIRE(truncate("data", 10) == 0);
    printf("truncated by name %ld\n", size_of(file));
    printf("allocated: %s, size %ld\n", outcome(posix_fallocate(file, 0, 5000)), size_of(file));
    return 0;
}
