/* Opens files that Strata writes while a program runs, where the program does not meet them. */
#include "machine/state/high_file.h"

#include "base/result_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* The program's descriptors must have the numbers that they have without it, so it goes as high as
 * it may. */
FILE *high_file_open(const char *path, enum high_place place, int *descriptor)
{
    struct rlimit limit;
    const int low = result_file_open(path);
    if (low < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return NULL;
    }
    const rlim_t most = limit.rlim_cur < 65536 ? limit.rlim_cur : 65536;
    *descriptor = fcntl(low, F_DUPFD_CLOEXEC, (int)most - (int)place);
    close(low);
    return *descriptor < 0 ? NULL : fdopen(*descriptor, "w");
}
