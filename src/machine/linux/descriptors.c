/* The calls on descriptors themselves: duplicates, flags, locks, ioctl. */
#include "machine/linux/files.h"
#include "machine/linux/syscall.h"
#include "machine/linux/wait.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/random.h>
#include <linux/sockios.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int64_t sys_dup(struct thread *thread, const uint64_t *arguments)
{
    int from = (int)arguments[0];
    int64_t result = files_result(syscall(SYS_dup, from));

    if (result >= 0) {
        special_duplicated(thread->process, from, (int)result);
    }
    return result;
}

int64_t sys_dup3(struct thread *thread, const uint64_t *arguments)
{
    int from = (int)arguments[0];
    int to = (int)arguments[1];

    if (machine_owns_descriptor(&thread->process->machine, to)) {
        return -EBADF; /* as if it were above the limit */
    }
    int64_t result = files_result(syscall(SYS_dup3, from, to, (int)arguments[2]));

    if (result >= 0) {
        special_closed(thread->process, (unsigned)to, (unsigned)to);
        special_duplicated(thread->process, from, to);
    }
    return result;
}

/* A lock that is held elsewhere is asked for again and again: its holder may be
 * another thread of this program, which only runs while this one waits. */
static int64_t lock_record(struct thread *thread, int fd, int try_command, guest_addr lock)
{
    int64_t result = files_result(syscall(SYS_fcntl, fd, try_command, guest_pointer(thread, lock)));

    return result == -EAGAIN || result == -EACCES ? wait_briefly(thread) : result;
}

int64_t sys_fcntl(struct thread *thread, const uint64_t *arguments)
{
    int fd = (int)arguments[0];
    int command = (int)arguments[1];
    int64_t result;

    switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
        result = files_result(syscall(SYS_fcntl, fd, command, arguments[2]));
        if (result >= 0) {
            special_duplicated(thread->process, fd, (int)result);
        }
        return result;
    case F_SETLKW:
        return lock_record(thread, fd, F_SETLK, arguments[2]);
    case F_OFD_SETLKW:
        return lock_record(thread, fd, F_OFD_SETLK, arguments[2]);
    case F_GETLK:
    case F_SETLK:
    case F_OFD_GETLK:
    case F_OFD_SETLK:
    case F_GETOWN_EX:
    case F_SETOWN_EX:
    case F_GET_RW_HINT:
    case F_SET_RW_HINT:
    case F_GET_FILE_RW_HINT:
    case F_SET_FILE_RW_HINT:
        return files_result(syscall(SYS_fcntl, fd, command, guest_pointer(thread, arguments[2])));
    case F_GETFD:
    case F_SETFD:
    case F_GETFL:
    case F_SETFL:
    case F_GETOWN:
    case F_SETOWN:
    case F_GETSIG:
    case F_SETSIG:
    case F_GETLEASE:
    case F_SETLEASE:
    case F_NOTIFY:
    case F_GETPIPE_SZ:
    case F_SETPIPE_SZ:
    case F_ADD_SEALS:
    case F_GET_SEALS:
        return files_result(syscall(SYS_fcntl, fd, command, arguments[2]));
    default:
        return fcntl(fd, F_GETFD) < 0 ? -EBADF : -EINVAL;
    }
}

int64_t sys_flock(struct thread *thread, const uint64_t *arguments)
{
    int fd = (int)arguments[0];
    int operation = (int)arguments[1];
    int64_t result = files_result(syscall(SYS_flock, fd, operation | LOCK_NB));

    if (result == -EWOULDBLOCK && (operation & LOCK_NB) == 0) {
        return wait_briefly(thread);
    }
    return result;
}

enum ioctl_argument { IOCTL_VALUE, IOCTL_POINTER };

static const struct ioctl_row {
    uint32_t request;
    enum ioctl_argument argument;
} ioctl_rows[] = {
#define IOCTL(request, argument) {(uint32_t)(request), IOCTL_##argument},
#include "machine/linux/ioctls.def"
#undef IOCTL
};

int64_t sys_ioctl(struct thread *thread, const uint64_t *arguments)
{
    int fd = (int)arguments[0];
    uint32_t request = (uint32_t)arguments[1];

    for (size_t i = 0; i < sizeof ioctl_rows / sizeof ioctl_rows[0]; i++) {
        if (ioctl_rows[i].request != request) {
            continue;
        }
        if (ioctl_rows[i].argument == IOCTL_VALUE) {
            return files_result(syscall(SYS_ioctl, fd, request, arguments[2]));
        }
        return files_result(syscall(SYS_ioctl, fd, request, guest_pointer(thread, arguments[2])));
    }
    return fcntl(fd, F_GETFD) < 0 ? -EBADF : -ENOTTY;
}
