/* Opens files that Strata writes while a program runs, where the program does not meet them. */
#include "machine/state/high_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* The program's descriptors must have the numbers that they have without it, so it goes as high as
 * it may. */
FILE *high_file_open(const char *path, enum high_place place, int *descriptor)
{
    struct rlimit limit;
    const int low = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (low < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return NULL;
    }
    const rlim_t most = limit.rlim_cur < 65536 ? limit.rlim_cur : 65536;
    *descriptor = fcntl(low, F_DUPFD_CLOEXEC, (int)most - (int)place);
    close(low);
    return *descriptor < 0 ? NULL : fdopen(*descriptor, "w");
}
