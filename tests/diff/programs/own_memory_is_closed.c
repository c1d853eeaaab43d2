/* Tries to open the memory of this process as a file, which is also that of whoever simulates it. */
#include "common.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static void show(const char *what, long opened)
{
    printf("%s: %s\n", what, opened < 0 ? strerror(errno) : "open");
}

int main(void)
{
    struct open_how how = {.flags = O_RDWR};
    char path[64];

    show("by name", open("/proc/self/mem", O_RDWR));
    show("for reading", open("/proc/self/mem", O_RDONLY));
    show("with another spelling", open("/proc//self/../self/./mem", O_RDWR));
    snprintf(path, sizeof(path), "/proc/self/task/%ld/mem", syscall(SYS_gettid));
    show("of the thread", open(path, O_RDWR));
    show("with openat2", syscall(SYS_openat2, AT_FDCWD, "/proc/self/mem", &how, sizeof(how)));
    REQUIRE(symlink("/proc/self/mem", "link") == 0);
    show("through a link", open("link", O_RDWR));
    int folder = open("/proc/self", O_PATH | O_DIRECTORY);
    REQUIRE(folder >= 0);
    show("from its folder", openat(folder, "mem", O_RDWR));
    show("from its folder with openat2", syscall(SYS_openat2, folder, "mem", &how, sizeof(how)));
    REQUIRE(fchdir(folder) == 0);
    show("in its folder", open("mem", O_RDWR));
    show("another file there", open("limits", O_RDONLY));
    return 0;
}
