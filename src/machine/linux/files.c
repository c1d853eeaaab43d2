/* Opening, closing and positioning files, and the calls that copy between descriptors. */
#include "machine/linux/files.h"

#include "machine/linux/paths.h"
#include "machine/linux/syscall.h"
#include "machine/linux/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The host's flags go to its kernel as the program gave them. */
_Static_assert(O_DIRECTORY == 0200000 && O_NOFOLLOW == 0400000 && O_DIRECT == 040000,
               "the host's O_ flags are those of RISC-V");

bool files_create(struct process *process)
{
    process->files = calloc(1, sizeof *process->files);
    return process->files != NULL;
}

void files_destroy(struct process *process)
{
    if (process->files != NULL) {
        region_remove(&process->files->regions, 0, GUEST_SPACE_BYTES);
        special_destroy(process);
    }
    free(process->files);
    process->files = NULL;
}

struct file_state *files_state(struct process *process)
{
    return process->files;
}

int64_t files_result(long result)
{
    return result < 0 ? -(int64_t)errno : (int64_t)result;
}

enum fifo_end { FIFO_OPEN, FIFO_ALONE };

/* Whether a writer has the FIFO open: copying a byte out of it, without taking
 * it, tells an end of file from an empty pipe. */
static enum fifo_end find_writer(int fd)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        return FIFO_OPEN;
    }
    ssize_t copied = tee(fd, ends[1], 1, SPLICE_F_NONBLOCK);
    close(ends[0]);
    close(ends[1]);
    return copied == 0 ? FIFO_ALONE : FIFO_OPEN;
}

/* The first opening of a FIFO waits for the other end.  The reading end stays
 * open meanwhile, so that a writer finds it. */
static int64_t open_fifo(struct thread *thread, int folder, const char *path, int flags,
                         mode_t mode)
{
    uint64_t *kept = &thread->wait.data[0]; /* descriptor + 1 */
    int fd = (int)*kept - 1;

    if (fd < 0) {
        fd = openat(folder, path, flags | O_NONBLOCK, mode);
    }
    if (fd < 0) {
        return errno == ENXIO ? wait_briefly(thread) : -(int64_t)errno;
    }
    if ((flags & O_ACCMODE) == O_RDONLY && find_writer(fd) == FIFO_ALONE) {
        if (thread->wait.interrupted) {
            close(fd);
            return SYSCALL_BLOCKS;
        }
        *kept = (uint64_t)fd + 1;
        return wait_briefly(thread);
    }
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

/* Gives the program what the host has opened, unless it is the memory of a
 * process, by whatever name: this one's holds Strata, not only the program. */
static int64_t hand_out(int64_t opened)
{
    char link[32];
    char name[PATH_MAX];
    struct statfs system;

    if (opened < 0 || fstatfs((int)opened, &system) != 0 || system.f_type != PROC_SUPER_MAGIC) {
        return opened;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", (int)opened);
    ssize_t length = readlink(link, name, sizeof name);
    if (length < 4 || memcmp(name + length - 4, "/mem", 4) != 0) {
        return opened;
    }
    close((int)opened);
    return -EACCES;
}

static int64_t open_path(struct thread *thread, int folder, const char *path, int flags,
                         mode_t mode)
{
    char buffer[PATH_MAX];
    struct stat status;
    int64_t result;

    if (proc_open(thread->process, path, flags, &result)) {
        return result;
    }
    path = paths_translate(thread->process, path, buffer);
    if ((flags & (O_NONBLOCK | O_PATH)) == 0 && (flags & O_ACCMODE) != O_RDWR &&
        fstatat(folder, path, &status, 0) == 0 && S_ISFIFO(status.st_mode)) {
        return open_fifo(thread, folder, path, flags, mode);
    }
    return hand_out(files_result(syscall(SYS_openat, folder, path, flags, mode)));
}

int64_t sys_openat(struct thread *thread, const uint64_t *arguments)
{
    const char *path = guest_string(thread, arguments[1]);

    if (path == NULL) {
        return -EFAULT;
    }
    return open_path(thread, (int)arguments[0], path, (int)arguments[2], (mode_t)arguments[3]);
}

int64_t sys_openat2(struct thread *thread, const uint64_t *arguments)
{
    const char *path = guest_string(thread, arguments[1]);
    struct open_how how;

    if (arguments[3] < sizeof how) {
        return -EINVAL;
    }
    if (arguments[3] > sizeof how) {
        return -E2BIG;
    }
    if (path == NULL || !thread_read(thread, &how, arguments[2], sizeof how)) {
        return -EFAULT;
    }
    int64_t result;
    if (proc_open(thread->process, path, (int)how.flags, &result)) {
        return result;
    }
    return hand_out(files_result(syscall(SYS_openat2, (int)arguments[0], path, &how, sizeof how)));
}

int64_t sys_close(struct thread *thread, const uint64_t *arguments)
{
    unsigned fd = (unsigned)arguments[0];

    if (machine_owns_descriptor(&thread->process->machine, fd)) {
        return -EBADF;
    }
    special_closed(thread->process, fd, fd);
    return files_result(syscall(SYS_close, fd));
}

#define NO_DESCRIPTOR UINT_MAX

/* The first of Strata's own descriptors in a range. */
static unsigned next_own(const struct machine *machine, unsigned first, unsigned last)
{
    unsigned found = NO_DESCRIPTOR;

    for (unsigned i = 0; i < OWN_DESCRIPTORS; i++) {
        const unsigned own = (unsigned)machine->own_descriptors[i];
        if (own >= first && own <= last && own < found) {
            found = own;
        }
    }
    return found;
}

int64_t sys_close_range(struct thread *thread, const uint64_t *arguments)
{
    unsigned first = (unsigned)arguments[0];
    unsigned last = (unsigned)arguments[1];
    unsigned flags = (unsigned)arguments[2];

    if (first <= last && (flags & CLOSE_RANGE_CLOEXEC) == 0) {
        special_closed(thread->process, first, last);
    }
    /* Programs close all but what they know; what is not theirs stays open. */
    if (first > last) {
        return -EINVAL;
    }
    while (first <= last) {
        const unsigned own = next_own(&thread->process->machine, first, last);
        if (own == NO_DESCRIPTOR) {
            return files_result(syscall(SYS_close_range, first, last, flags));
        }
        if (own > first && syscall(SYS_close_range, first, own - 1, flags) != 0) {
            return files_result(-1);
        }
        if (own == last) {
            break;
        }
        first = own + 1;
    }
    return 0;
}

/* Moves data between two descriptors for a call that may do less than it was
 * asked: with one end a pipe, no more than surely fits. */
static uint64_t limit_to_pipe(int fd, uint64_t count)
{
    struct stat status;

    if (count > PIPE_BUF && fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode)) {
        return PIPE_BUF;
    }
    return count;
}

int64_t sys_sendfile(struct thread *thread, const uint64_t *arguments)
{
    int to = (int)arguments[0];
    int from = (int)arguments[1];

    if (wait_expected(to, POLLOUT)) {
        return wait_for_descriptor(thread, to, POLLOUT, WAIT_FOREVER);
    }
    return files_result(syscall(SYS_sendfile, to, from, guest_pointer(thread, arguments[2]),
                                limit_to_pipe(to, arguments[3])));
}

int64_t sys_copy_file_range(struct thread *thread, const uint64_t *arguments)
{
    return files_result(syscall(SYS_copy_file_range, (int)arguments[0],
                                guest_pointer(thread, arguments[1]), (int)arguments[2],
                                guest_pointer(thread, arguments[3]), arguments[4],
                                (unsigned)arguments[5]));
}

/* splice and tee with the non-blocking flag say EAGAIN both for an empty source
 * and for a full target. */
static int64_t wait_for_pipes(struct thread *thread, int from, int to, unsigned flags)
{
    if ((flags & SPLICE_F_NONBLOCK) != 0) {
        return -EAGAIN;
    }
    if (wait_expected(from, POLLIN)) {
        return wait_for_descriptor(thread, from, POLLIN, WAIT_FOREVER);
    }
    if (wait_expected(to, POLLOUT)) {
        return wait_for_descriptor(thread, to, POLLOUT, WAIT_FOREVER);
    }
    return -EAGAIN;
}

int64_t sys_splice(struct thread *thread, const uint64_t *arguments)
{
    int from = (int)arguments[0];
    int to = (int)arguments[2];
    unsigned flags = (unsigned)arguments[5];

    if ((flags & SPLICE_F_NONBLOCK) == 0 &&
        (wait_expected(from, POLLIN) || wait_expected(to, POLLOUT))) {
        return wait_for_pipes(thread, from, to, flags);
    }
    int64_t result = files_result(syscall(SYS_splice, from, guest_pointer(thread, arguments[1]), to,
                                          guest_pointer(thread, arguments[3]), arguments[4],
                                          flags | SPLICE_F_NONBLOCK));
    return result == -EAGAIN ? wait_for_pipes(thread, from, to, flags) : result;
}

int64_t sys_tee(struct thread *thread, const uint64_t *arguments)
{
    int from = (int)arguments[0];
    int to = (int)arguments[1];
    unsigned flags = (unsigned)arguments[3];
    int64_t result =
        files_result(syscall(SYS_tee, from, to, arguments[2], flags | SPLICE_F_NONBLOCK));

    return result == -EAGAIN ? wait_for_pipes(thread, from, to, flags) : result;
}
