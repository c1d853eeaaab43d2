/* Shows EFAULT from system calls that are given addresses outside the program's memory. */
#include "common.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

int main(void)
{
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long bad = 16;
    int ends[2];

    REQUIRE(page != MAP_FAILED && pipe(ends) == 0);
    REQUIRE(mprotect(page + 4096, 4096, PROT_NONE) == 0);
    memset(page, 'x', 4096);
    printf("write %s\n", outcome(syscall(SYS_write, ends[1], bad, 10)));
    printf("write to a pipe %s\n", outcome(write(ends[1], "abc", 3)));
    printf("read %s\n", outcome(syscall(SYS_read, ends[0], bad, 3)));
    printf("openat %s\n", outcome(syscall(SYS_openat, AT_FDCWD, bad, O_RDONLY)));
    printf("openat across the end %s\n",
           outcome(syscall(SYS_openat, AT_FDCWD, page + 4090, O_RDONLY)));
    printf("fstat %s\n", outcome(syscall(SYS_fstat, ends[0], bad)));
    printf("clock_gettime %s\n", outcome(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, bad)));
    printf("pipe2 %s\n", outcome(syscall(SYS_pipe2, bad, 0)));
    printf("getcwd %s\n", outcome(syscall(SYS_getcwd, bad, 4096)));
    printf("uname %s\n", outcome(syscall(SYS_uname, bad)));
    printf("readlinkat %s\n", outcome(syscall(SYS_readlinkat, AT_FDCWD, bad, page, 10)));
    printf("rt_sigprocmask %s\n", outcome(syscall(SYS_rt_sigprocmask, SIG_BLOCK, bad, 0, 8)));
    printf("rt_sigaction %s\n", outcome(syscall(SYS_rt_sigaction, SIGUSR1, bad, 0, 8)));
    printf("writev %s\n", outcome(syscall(SYS_writev, ends[1], bad, 1)));
    printf("getrandom %s\n", outcome(syscall(SYS_getrandom, bad, 16, 0)));
    printf("still runs %c\n", page[100]);
    return 0;
}
