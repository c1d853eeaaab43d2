/* Shows modes: the creation mask, chmod in its forms, access checks on what exists and what not. */
#include "common.h"
#include <fcntl.h>
#include <sys/stat.h>

static unsigned mode_of(const char *name)
{
    struct stat status;

    REQUIRE(stat(name, &status) == 0);
    return status.st_mode & 07777;
}

int main(void)
{
    int file = 0;
    mode_t old = umask(027);

    printf("mask read back %03o\n", umask(027));
    file = open("data", O_CREAT | O_RDWR, 0777);
    REQUIRE(file >= 0 && mkdir("folder", 0777) == 0);
    printf("created %04o %04o\n", mode_of("data"), mode_of("folder"));
    REQUIRE(chmod("data", 0640) == 0);
    printf("chmod %04o\n", mode_of("data"));
    REQUIRE(fchmod(file, 04711) == 0);
    printf("fchmod %04o\n", mode_of("data"));
    REQUIRE(fchmodat(AT_FDCWD, "folder", 01700, 0) == 0);
    printf("fchmodat %04o\n", mode_of("folder"));
    REQUIRE(chmod("data", 0600) == 0);
    printf("access: there %s", outcome(access("data", F_OK)));
    printf(", read and write %s", outcome(access("data", R_OK | W_OK)));
    printf(", run %s", outcome(access("data", X_OK)));
    printf(", missing %s\n", outcome(access("none", F_OK)));
    printf("faccessat: %s", outcome(faccessat(AT_FDCWD, "data", R_OK, 0)));
    printf(" %s", outcome(faccessat(AT_FDCWD, "data", R_OK, AT_EACCESS)));
    printf(" %s\n", outcome(faccessat(AT_FDCWD, "data/x", F_OK, 0)));
    printf("bad mode %s\n", outcome(access("data", 99)));
    printf("chown to itself %s\n", outcome(chown("data", getuid(), getgid())));
    printf("chmod of nothing %s\n", outcome(chmod("none", 0600)));
    umask(old);
    return 0;
}
