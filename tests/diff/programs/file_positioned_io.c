/* Shows positioned and vectored input and output: the file offset moves only where it should. */
#include "common.h"
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

int main(void)
{
    char a[8] = "";
    char b[8] = "";
    char c[8] = "";
    struct iovec parts[3] = {{(void *)"one", 3}, {(void *)"", 0}, {(void *)"three", 5}};
    struct iovec into[3] = {{a, 2}, {b, 4}, {c, 7}};
    int file = open("data", O_CREAT | O_RDWR, 0600);

    REQUIRE(file >= 0);
    printf("writev %zd\n", writev(file, parts, 3));
    printf("offset %ld\n", (long)lseek(file, 0, SEEK_CUR));
    printf("pwrite %zd\n", pwrite(file, "XY", 2, 20));
    printf("offset %ld\n", (long)lseek(file, 0, SEEK_CUR));
    printf("pread %zd ", pread(file, a, 7, 1));
    printf("[%.7s]\n", a);
    printf("offset %ld\n", (long)lseek(file, 0, SEEK_CUR));
    REQUIRE(lseek(file, 0, SEEK_SET) == 0);
    memset(a, 0, sizeof(a));
    printf("readv %zd ", readv(file, into, 3));
    printf("[%s][%s][%d %d]\n", a, b, c[0], c[6]);
    printf("offset %ld\n", (long)lseek(file, 0, SEEK_CUR));
    printf("pwritev %zd\n", pwritev(file, parts, 3, 2));
    memset(c, 0, sizeof(c));
    printf("preadv %zd ", preadv(file, &(struct iovec){c, 6}, 1, 0));
    printf("[%s]\n", c);
    printf("readv of too many: %s\n", outcome(syscall(SYS_readv, file, into, 2000)));
    printf("pread at the end: %zd\n", pread(file, a, 4, 4000));
    printf("pread before the start: %s\n", outcome(pread(file, a, 4, -1)));
    return 0;
}
