/* Opens what somebody else has named: only regular files, without waiting for anybody. */
#include "base/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pipe that nobody writes to would keep an open(2) that blocks, and a terminal could become the process's own. */
int regular_file_open(const char *path, uint64_t *bytes)
{
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        return -1;
    }
    *bytes = fd >= 0 ? (uint64_t)status.st_size : 0;
    return fd;
}
