/* Passes calls on to the host's kernel, with the program's paths and pointers made the host's. */
#include "base/check.h"
#include "machine/linux/files.h"
#include "machine/linux/paths.h"
#include "machine/linux/syscall.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ARGUMENTS = 6, PATHS = 2 };

/* Returns false where the kernel would say EFAULT before anything else. */
static bool convert(struct thread *thread, char kind, const uint64_t *argument, char *path_buffer,
                    uint64_t *host)
{
    const char *string;

    switch (kind) {
    case 'i':
        *host = *argument;
        return true;
    case 'p':
        *host = (uint64_t)(uintptr_t)guest_pointer(thread, *argument);
        return true;
    case 'b':
        *host = (uint64_t)(uintptr_t)(*argument == 0 && argument[1] == 0
                                          ? NULL
                                          : guest_buffer(thread, *argument, argument[1]));
        return true;
    default:
        break;
    }
    /* utimensat and statx know a null path; the kernel refuses it elsewhere. */
    string = *argument == 0 ? NULL : guest_string(thread, *argument);
    if (string == NULL && *argument != 0) {
        return false;
    }
    if (kind == 'r' && string != NULL) {
        string = paths_translate(thread->process, string, path_buffer);
    }
    *host = (uint64_t)(uintptr_t)string;
    return true;
}

static int64_t pass(struct thread *thread, long number, const char *kinds,
                    const uint64_t *arguments)
{
    char paths[PATHS][PATH_MAX];
    unsigned path_count = 0;
    uint64_t host[ARGUMENTS] = {0};

    for (unsigned i = 0; kinds[i] != '\0'; i++) {
        ASSERT(i < ARGUMENTS && path_count < PATHS);
        if (!convert(thread, kinds[i], &arguments[i], paths[path_count], &host[i])) {
            return -EFAULT;
        }
        if (kinds[i] == 'r') {
            path_count++;
        }
    }
    return files_result(syscall(number, host[0], host[1], host[2], host[3], host[4], host[5]));
}

#define PASSTHROUGH(name, kinds)                                                                   \
    int64_t sys_##name(struct thread *thread, const uint64_t *arguments)                           \
    {                                                                                              \
        return pass(thread, SYS_##name, kinds, arguments);                                         \
    }
#include "machine/linux/passthrough.def"
#undef PASSTHROUGH

/* What needs rights that a simulated program never gets. */
int64_t sys_not_permitted(struct thread *thread, const uint64_t *arguments)
{
    (void)thread;
    (void)arguments;
    return -EPERM;
}
