/* Shows the errors of file calls: each wrong use gives its own error. */
#include "common.h"
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>

int main(void)
{
    char name[5000];
    char buffer[16];
    int folder = 0;
    int file = creat("file", 0600);
    int ends[2];
    struct termios terminal;
    struct iovec part = {buffer, 1};

    REQUIRE(file >= 0 && mkdir("folder", 0700) == 0 && pipe2(ends, O_NONBLOCK) == 0);
    folder = open("folder", O_RDONLY);
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    printf("missing %s\n", outcome(open("none", O_RDONLY)));
    printf("missing folder %s\n", outcome(open("none/file", O_RDONLY | O_CREAT, 0600)));
    printf("empty name %s\n", outcome(open("", O_RDONLY)));
    printf("file as folder %s\n", outcome(open("file/x", O_RDONLY)));
    printf("folder for writing %s\n", outcome(open("folder", O_WRONLY)));
    printf("long name %s", outcome(open(name, O_RDONLY)));
    name[300] = '\0';
    printf(" %s\n", outcome(open(name, O_RDONLY)));
    printf("read of folder %s\n", outcome(read(folder, buffer, 1)));
    printf("read of closed %s\n", outcome(read(777, buffer, 1)));
    printf("read of negative %s\n", outcome(read(-1, buffer, 1)));
    printf("write of read-only %s\n", outcome(write(folder, buffer, 1)));
    printf("read of empty pipe %s\n", outcome(read(ends[0], buffer, 1)));
    printf("write to the reading end %s\n", outcome(write(ends[0], buffer, 1)));
    printf("pread of pipe %s\n", outcome(pread(ends[0], buffer, 1, 0)));
    printf("truncate pipe %s\n", outcome(ftruncate(ends[0], 0)));
    printf("openat beside a file %s\n", outcome(openat(file, "x", O_RDONLY)));
    printf("openat of bad folder %s\n", outcome(openat(888, "x", O_RDONLY)));
    printf("terminal of a file %s\n", outcome(tcgetattr(file, &terminal)));
    printf("isatty %d %s\n", isatty(file), error_name(errno));
    printf("map of closed %d", mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 777, 0) == MAP_FAILED);
    printf(" %s\n", error_name(errno));
    printf("map of nothing %d", mmap(NULL, 0, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED);
    printf(" %s\n", error_name(errno));
    printf("chdir %s\n", outcome(chdir("none")));
    printf("rmdir of a file %s\n", outcome(rmdir("file")));
    printf("fchdir of a file %s\n", outcome(fchdir(file)));
    printf("fcntl command %s\n", outcome(fcntl(file, 9999)));
    printf("pipe2 flags %s\n", outcome(pipe2(ends, 12345)));
    printf("too many parts %s\n", outcome(syscall(SYS_writev, file, &part, 100000)));
    return 0;
}
