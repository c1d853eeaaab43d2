/* Preloaded: a disk that is full after some bytes, for what is written below one folder. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t write(int fd, const void *data, size_t bytes)
{
    static ssize_t (*next)(int, const void *, size_t);
    static size_t written;
    const char *folder = getenv("FULL_FOLDER"), *limit = getenv("FULL_BYTES");
    char link[64], path[4096] = "";
    if (next == NULL) {
        next = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (folder != NULL && limit != NULL && readlink(link, path, sizeof path - 1) > 0 &&
        strncmp(path, folder, strlen(folder)) == 0) {
        written += bytes;
        if (written > strtoul(limit, NULL, 10)) {
            errno = ENOSPC;
            return -1;
        }
    }
    return next(fd, data, bytes);
}
