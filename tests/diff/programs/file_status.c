/* Shows stat in all its forms agree on type, mode, size and number of links. */
#include "common.h"
#include <fcntl.h>
#include <sys/stat.h>

static void show(const char *how, const struct stat *status)
{
    printf("%s: mode %o, links %lu, size %ld, block size set %d\n", how, status->st_mode,
           (unsigned long)status->st_nlink, S_ISDIR(status->st_mode) ? 0 : (long)status->st_size,
           status->st_blksize > 0);
}

int main(void)
{
    struct stat status;
    struct stat other;
    struct statx extended;
    int file = 0;
    int ends[2];

    umask(022);
    file = open("file", O_CREAT | O_RDWR, 0666);
    REQUIRE(file >= 0 && write(file, "12345", 5) == 5);
    REQUIRE(mkdir("folder", 0777) == 0 && symlink("file", "symbolic") == 0 && pipe(ends) == 0);
    REQUIRE(link("file", "folder/hard") == 0);
    REQUIRE(fstat(file, &status) == 0);
    show("fstat", &status);
    REQUIRE(stat("file", &other) == 0);
    show("stat", &other);
    printf("same inode %d, same device %d\n", status.st_ino == other.st_ino,
           status.st_dev == other.st_dev);
    REQUIRE(stat("symbolic", &other) == 0);
    show("stat through link", &other);
    REQUIRE(lstat("symbolic", &other) == 0);
    show("lstat", &other);
    REQUIRE(fstatat(AT_FDCWD, "folder", &other, 0) == 0);
    show("fstatat", &other);
    REQUIRE(fstatat(file, "", &other, AT_EMPTY_PATH) == 0);
    show("fstatat of descriptor", &other);
    REQUIRE(fstat(ends[0], &other) == 0);
    printf("pipe is a fifo: %d\n", S_ISFIFO(other.st_mode));
    REQUIRE(stat("/dev/null", &other) == 0);
    printf("null is a character device: %d, %d\n", S_ISCHR(other.st_mode), (int)other.st_rdev);
    REQUIRE(statx(AT_FDCWD, "file", 0, STATX_BASIC_STATS, &extended) == 0);
    printf("statx: mode %o, links %u, size %llu, same inode %d\n", extended.stx_mode,
           extended.stx_nlink, (unsigned long long)extended.stx_size,
           extended.stx_ino == status.st_ino);
    printf("statx of nothing: %s\n", outcome(statx(AT_FDCWD, "none", 0, STATX_SIZE, &extended)));
    return 0;
}
